/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.RestoreLimits;

/**
 * Options of a restore.
 *
 * @param limits on what is written
 * @param keepSetuid whether setuid and setgid bits are restored; otherwise files lose both and
 *     directories lose setuid
 * @param progress called from time to time, by several threads but one at a time
 */
public record RestoreOptions(RestoreLimits limits, boolean keepSetuid, Progress progress) {

  /** Receives the progress of a restore. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Reports the bytes of file content and the number of files and links written so far; must
     * return soon.
     */
    void written(long bytes, long files);
  }

  /** Limits of {@link RestoreLimits#defaults}, no setuid bits, no progress reports. */
  public static RestoreOptions defaults() {
    return new RestoreOptions(RestoreLimits.defaults(), false, (bytes, files) -> {});
  }

  public RestoreOptions withLimits(RestoreLimits newLimits) {
    return new RestoreOptions(newLimits, keepSetuid, progress);
  }

  public RestoreOptions withProgress(Progress newProgress) {
    return new RestoreOptions(limits, keepSetuid, newProgress);
  }

  public RestoreOptions keepingSetuid() {
    return new RestoreOptions(limits, true, progress);
  }

  /** Returns the bits of a file's mode that are restored. */
  int fileMode(int mode) {
    return keepSetuid ? mode : mode & 01777;
  }

  /** Returns the bits of a directory's mode that are restored. */
  int directoryMode(int mode) {
    return keepSetuid ? mode : mode & 03777;
  }
}
