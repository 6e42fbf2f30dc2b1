// SPDX-License-Identifier: Apache-2.0
// The settings of the fake, which tests change while it runs.
#ifndef KNOBS_H
#define KNOBS_H

enum knob {
#define KNOB(name, value) KNOB_##name,
#include "knobs.def"
#undef KNOB
  KNOBS
};

long knob(enum knob knob);

// To what they were when the library was loaded.
void knobs_reset(void);

#endif
