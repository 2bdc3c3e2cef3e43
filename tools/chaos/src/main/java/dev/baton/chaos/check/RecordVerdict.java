/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

/** What a record of the log counts for, by its place alone. */
public enum RecordVerdict {
  COUNTS,
  /** Its lane had come as far before. */
  DUPLICATE,
  /** Of an epoch that was replaced before, by the log's order. */
  FENCED,
  /** After the run's end. */
  AFTER_END,
  /** Of an epoch that nobody was assigned yet. */
  EARLY
}
