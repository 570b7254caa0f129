/* run [-t SECONDS] [-s PID[,PID...]] RESULT PROGRAM [ARGUMENT...]
 *
 * Runs PROGRAM once and writes what it cost to the file RESULT, as one JSON object: exit status (128 + signal), wall clock,
 * user and system CPU in seconds, peak memory in bytes, and meanwhile the CPU of the servers (-s) and of the whole machine.
 * PROGRAM is killed after SECONDS. Linked statically, because a child's peak memory begins with that of its parent. */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SERVERS = 16 };

static pid_t child;

static void kill_child(int signal) {
  (void)signal;
  kill(child, SIGKILL);
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

static double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What a process has used, in seconds (proc(5): schedstat, nanoseconds on the CPU); 0 when it is gone. */
static double process_cpu(int pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  double nanoseconds = 0;
  if (fscanf(file, "%lf", &nanoseconds) != 1) nanoseconds = 0;
  fclose(file);
  return nanoseconds * 1e-9;
}

static double processes_cpu(const int *pids, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += process_cpu(pids[i]);
  return sum;
}

/* What all processors have done, in seconds (proc(5): stat; user, nice, system, irq and softirq). */
static double machine_cpu(void) {
  double user, nice, system, idle, wait, irq, softirq;
  FILE *file = fopen("/proc/stat", "re");
  if (!file) err(2, "/proc/stat");
  if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait, &irq, &softirq) != 7)
    errx(2, "/proc/stat: not understood");
  fclose(file);
  return (user + nice + system + irq + softirq) / (double)sysconf(_SC_CLK_TCK);
}

static int parse_pids(char *list, int *pids) {
  int count = 0;
  for (char *word = strtok(list, ","); word && count < MAX_SERVERS; word = strtok(NULL, ",")) pids[count++] = atoi(word);
  return count;
}

static void start(char **arguments) {
  child = fork();
  if (child < 0) err(2, "fork");
  if (child > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execvp(arguments[0], arguments);
  err(127, "%s", arguments[0]);
}

int main(int count, char **arguments) {
  int servers[MAX_SERVERS], server_count = 0, option;
  unsigned limit = 600;
  while ((option = getopt(count, arguments, "+t:s:")) != -1) {
    if (option == 't')
      limit = (unsigned)atoi(optarg);
    else if (option == 's')
      server_count = parse_pids(optarg, servers);
    else
      return 2;
  }
  if (count - optind < 2) errx(2, "usage: run [-t SECONDS] [-s PID,...] RESULT PROGRAM [ARGUMENT...]");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  FILE *result = fopen(arguments[optind], "we");
  if (!result) err(2, "%s", arguments[optind]);

  double server_before = processes_cpu(servers, server_count), machine_before = machine_cpu(), began = wall_clock();
  start(arguments + optind + 1);
  signal(SIGALRM, kill_child);
  alarm(limit);
  int status;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0) continue;
  double wall = wall_clock() - began, machine = machine_cpu() - machine_before;
  double server = processes_cpu(servers, server_count) - server_before;

  fprintf(result,
          "{\"status\": %d, \"wall\": %.6f, \"user\": %.6f, \"system\": %.6f, \"peak_memory\": %ld,"
          " \"server_cpu\": %.6f, \"machine_cpu\": %.2f}\n",
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), wall, seconds(usage.ru_utime),
          seconds(usage.ru_stime), usage.ru_maxrss * 1024, server, machine);
  return fclose(result) == 0 ? 0 : 2;
}
