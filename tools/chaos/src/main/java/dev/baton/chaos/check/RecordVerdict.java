/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

/** Whether a record of the log counts, decided by its position alone. */
public enum RecordVerdict {
  COUNTS,
  /** Its lane already had this seq or a higher one. */
  DUPLICATE,
  /** Its epoch was replaced earlier in the log. */
  FENCED,
  /** After the run's end. */
  AFTER_END,
  /** Its epoch was not assigned yet. */
  EARLY
}
