/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/* The builder reads this header on every machine; see amd64cpufeatures.h. */
#ifndef H_aarch64
#define H_aarch64
typedef struct {
  char fFP;
  char fASIMD;
  char fEVTSTRM;
  char fAES;
  char fPMULL;
  char fSHA1;
  char fSHA2;
  char fCRC32;
  char fLSE;
  char fDCPOP;
  char fSHA3;
  char fSHA512;
  char fSVE;
  char fSVE2;
  char fSTXR_PREFETCH;
  char fA53MAC;
  char fDMB_ATOMICS;
  char fPACA;
  char fSVEBITPERM;
  char fFPHP;
  char fASIMDHP;
} CPUFeatures;
#endif
