// SPDX-License-Identifier: Apache-2.0
// Questions come on stdin and are answered on stdout, a line each: "answer ..." or "failed ...".
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

// Whether there is something to read, waiting for it so long at most.
bool lines_within(int millis);

// The next question, until the next call; NULL when there is none yet.
// Ends the program at "bye", and at the end of stdin: nobody is there any more.
char *lines_next(void);

void answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

// An answer that says no more than that it is done.
void acknowledge(void);

// Says why, and ends the program.
noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The next number of a question; fails if there is none.
uint64_t next_number(char **rest, const char *what);

// The same for a word.
char *next_word(char **rest, const char *what);

#endif
