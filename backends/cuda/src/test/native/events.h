// SPDX-License-Identifier: Apache-2.0
// Events: where streams have got to.
#ifndef EVENTS_H
#define EVENTS_H

#include "cuda_types.h"

void event_complete(CUevent event, uint64_t record);

bool event_has_completed(CUevent event, uint64_t record);

int64_t events_live(void);

void events_reset(void);

#endif
