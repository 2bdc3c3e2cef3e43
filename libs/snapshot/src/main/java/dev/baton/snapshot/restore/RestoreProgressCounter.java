/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

/** Counts what has been written and reports the progress. Thread-safe. */
final class RestoreProgressCounter {
  private final RestoreOptions.Progress progress;
  private long bytes;
  private long files;

  RestoreProgressCounter(RestoreOptions.Progress progress) {
    this.progress = progress;
  }

  synchronized void add(RestoreSegment segment) {
    bytes += segment.bytes();
    files += segment.files();
    progress.written(bytes, files);
  }

  synchronized void addLinks(long links) {
    files += links;
    progress.written(bytes, files);
  }
}
