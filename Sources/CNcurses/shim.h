#pragma once
// The wide-character ncurses. Macros, globals and variadic calls that Swift cannot reach are typed one-liners here.
#define NCURSES_WIDECHAR 1
#include <langinfo.h>
#include <ncurses.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static inline bool cncurses_is_unicode(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

// newterm(3X): false when the terminal is not known. A null name is that of the environment.
static inline bool cncurses_open(const char *name) { return newterm(name, stdout, stdin) != NULL; }

static inline void cncurses_set_modes(void) {
  raw();
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  leaveok(stdscr, FALSE);
  intrflush(stdscr, FALSE);
  scrollok(stdscr, FALSE);
}

static inline int cncurses_lines(void) { return LINES; }
static inline int cncurses_columns(void) { return COLS; }

// Zero when the terminal has no colours or cannot keep its own background.
static inline int cncurses_start_colours(void) {
  return has_colors() && start_color() == OK && use_default_colors() == OK ? COLORS : 0;
}

static inline void cncurses_set_style(bool bold, bool dim, bool reverse, int pair) {
  attr_t style = (bold ? A_BOLD : 0) | (dim ? A_DIM : 0) | (reverse ? A_REVERSE : 0);
  attrset((int)(style | COLOR_PAIR(pair)));
}

static inline void cncurses_put(int row, int column, const wchar_t *text, int count) {
  mvaddnwstr(row, column, text, count);
}

static inline void cncurses_erase(void) { erase(); }
static inline void cncurses_place(int row, int column) { move(row, column); }
static inline void cncurses_refresh(void) { refresh(); }
// The next refresh paints every cell, whatever ncurses believes to be there.
static inline void cncurses_distrust(void) { clearok(curscr, TRUE); }

// get_wch(3X): OK and a character, KEY_CODE_YES and a key's code, or ERR when nothing has been typed.
static inline int cncurses_read(wint_t *code) { return get_wch(code); }

// Where the codes of keys that ncurses does not know begin.
enum { cncurses_first_free_key = KEY_MAX + 1 };

// terminfo(5), of the terminal that is open; term.h would bring hundreds of macros along.
int tigetflag(const char *name);
char *tigetstr(const char *name);

// Whether the terminal has a title that xterm's sequences set (user_caps(5): XT), or a status line that does for it.
static inline bool cncurses_has_title(void) {
  const char *line = tigetstr("tsl");
  return tigetflag("XT") > 0 || (line != NULL && line != (const char *)-1);
}

// wcwidth(3), which the headers hide from strict C.
int wcwidth(wchar_t character);
