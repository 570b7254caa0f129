import Foundation

/// A small library before the C library: names that end in `.shim` are found as it is told, all others as always. Meant for names that
/// begin with `127.`, which dltui takes for the loopback, so that a machine without a network will do.
package final class LookupShim: Sendable {
  private let folder: TemporaryFolder

  package init() async throws {
    folder = try TemporaryFolder()
    try await buildLibrary(source, in: folder)
  }

  /// What a program is to be started with. The first `failures` lookups end with EAI_AGAIN, those after them with `addresses`; each takes
  /// `delay` first. Without addresses there is no such name (EAI_NONAME).
  package func environment(failures: Int = 0, delay: Duration = .zero, addresses: [String] = []) -> [String: String] {
    [
      "LD_PRELOAD": folder["shim.so"], "SHIM_FAILURES": "\(failures)",
      "SHIM_ADDRESSES": " " + addresses.joined(separator: " "),
      "SHIM_DELAY": "\(delay.components.seconds)", "SHIM_LOG": folder["log"],
    ]
  }

  /// How many lookups there were.
  package var count: Int { folder.bytes(of: "log")?.count ?? 0 }
}

/// Makes `shim.so` of a C source.
func buildLibrary(_ source: String, in folder: TemporaryFolder) async throws {
  try folder.write(source.utf8, to: "shim.c")
  let words = ["-shared", "-fPIC", "-o", folder["shim.so"], folder["shim.c"], "-ldl"]
  for compiler in ["cc", "clang"] where try await Program.run("/usr/bin/env", [compiler] + words).status == 0 {
    return
  }
  throw ToolFailed(description: "neither cc nor clang builds a shared library")
}

private let source = #"""
  #define _GNU_SOURCE
  #include <dlfcn.h>
  #include <fcntl.h>
  #include <netdb.h>
  #include <stdatomic.h>
  #include <stdlib.h>
  #include <string.h>
  #include <unistd.h>

  typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  static atomic_int lookups;

  static void note(void) {
    int log = open(getenv("SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log >= 0 && write(log, ".", 1) == 1) close(log);
  }

  int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    lookup real = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
    const char *end = name ? strrchr(name, '.') : NULL;
    if (!end || strcmp(end, ".shim")) return real(name, service, hints, result);
    note();
    sleep(atoi(getenv("SHIM_DELAY")));
    if (atomic_fetch_add(&lookups, 1) < atoi(getenv("SHIM_FAILURES"))) return EAI_AGAIN;
    *result = NULL;
    char *rest = NULL, *addresses = strdup(getenv("SHIM_ADDRESSES"));
    struct addrinfo **next = result;
    for (char *one = strtok_r(addresses, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
      if (real(one, service, hints, next)) continue;
      while (*next) next = &(*next)->ai_next;
    }
    free(addresses);
    return *result ? 0 : EAI_NONAME;
  }
  """#
