/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/* The builder reads this header on every machine; see amd64cpufeatures.h. */
#ifndef H_riscv64
#define H_riscv64
typedef struct {
  char fI;
  char fM;
  char fA;
  char fF;
  char fD;
  char fC;
  char fV;
} CPUFeatures;
#endif
