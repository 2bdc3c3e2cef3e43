/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.RestoreLimits;

/**
 * How to restore.
 *
 * @param limits what may be written at most
 * @param keepSetuid sets setuid and setgid bits as they were; otherwise files lose both and
 *     directories setuid
 * @param progress told from time to time, by several threads but one at a time
 */
public record RestoreOptions(RestoreLimits limits, boolean keepSetuid, Progress progress) {

  /** Whoever wants to show how far it is. */
  @FunctionalInterface
  public interface Progress {
    /** Bytes of file content and files, links included, that are written so far; returns soon. */
    void written(long bytes, long files);
  }

  /** Limits of {@link RestoreLimits#defaults}, no setuid bits, nobody watching. */
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

  /** The bits of a file's mode that are set. */
  int fileMode(int mode) {
    return keepSetuid ? mode : mode & 01777;
  }

  /** The bits of a directory's mode that are set. */
  int directoryMode(int mode) {
    return keepSetuid ? mode : mode & 03777;
  }
}
