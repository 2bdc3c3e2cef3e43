/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.SkippedEntry;
import java.util.List;

/**
 * The result of a scan.
 *
 * @param root the same object as in the previous scan if nothing has changed
 * @param skipped entries that cannot be captured; files that turn out to be unreadable later are
 *     added by the capture
 * @param leftOut raw paths that the rules exclude, without the paths below them
 * @param filesToRead number of files with {@link DirState#needsReading}
 */
public record ScanResult(
    DirState root, List<SkippedEntry> skipped, List<String> leftOut, long filesToRead) {
  public ScanResult {
    skipped = List.copyOf(skipped);
    leftOut = List.copyOf(leftOut);
  }
}
