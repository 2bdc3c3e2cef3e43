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
 * What a scan found.
 *
 * @param root the very object of the scan before where nothing has changed
 * @param skipped what cannot be captured; what turns out to be unreadable when it is read comes on
 *     top of it
 * @param leftOut raw paths of what the rules leave out, and nothing of what is below these
 * @param filesToRead of {@link DirState#needsReading}
 */
public record ScanResult(
    DirState root, List<SkippedEntry> skipped, List<String> leftOut, long filesToRead) {
  public ScanResult {
    skipped = List.copyOf(skipped);
    leftOut = List.copyOf(leftOut);
  }
}
