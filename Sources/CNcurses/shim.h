#pragma once
// The wide-character ncurses. Macros and variadic calls that Swift cannot reach are typed one-liners here.
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>
#include <locale.h>
