/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.terminal.ByteSizeFormatter;

/** Classifies the size of a checkpoint's files; large ones cause a note. */
enum SizeClass {
  /** Below 100 MB: no note. */
  SMALL,
  /** Up to 1 GB: a warning. */
  LARGE,
  /** Above: a note that transfers take time. */
  HUGE;

  private static final long LARGE_FROM = 100_000_000L;
  private static final long HUGE_FROM = 1_000_000_000L;

  static SizeClass of(long bytes) {
    if (bytes < LARGE_FROM) {
      return SMALL;
    }
    return bytes <= HUGE_FROM ? LARGE : HUGE;
  }

  /** Returns the note; empty when there is none. */
  static String note(long bytes) {
    return switch (of(bytes)) {
      case SMALL -> "";
      case LARGE ->
          "warning: the workspace has %s, more than 100MB: excludes (.batonignore) make checkpoints faster"
              .formatted(ByteSizeFormatter.of(bytes));
      case HUGE ->
          "note: the workspace has %s, more than 1GB: it goes from and to the object store in packs"
              .formatted(ByteSizeFormatter.of(bytes));
    };
  }
}
