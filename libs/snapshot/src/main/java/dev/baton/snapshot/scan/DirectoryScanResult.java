/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scanned content of one directory, without that of its subdirectories.
 *
 * @param rules in force in it
 * @param settled whether its names are reliable as long as its times are the same
 * @param same whether self, entries and notes equal those of the previous state
 */
record DirectoryScanResult(
    DirectoryStat self,
    DirectoryEntryTable entries,
    List<ScanProblem> notes,
    IgnoreRuleSet rules,
    boolean settled,
    boolean same) {

  static DirectoryScanResult same(DirState last, IgnoreRuleSet rules, boolean settled) {
    return new DirectoryScanResult(last.self(), last.entries(), last.notes(), rules, settled, true);
  }

  /**
   * Checks the attributes of the previous entries, without listing the directory; returns null on
   * any difference.
   *
   * @param stat of the directory itself; overwritten
   */
  static @Nullable DirectoryScanResult again(
      OpenDirectory directory, StatBuffer stat, DirState last, IgnoreRuleSet inherited)
      throws IOException {
    if (!last.settled() || last.inherited() != inherited || !last.self().matches(stat)) {
      return null;
    }
    DirectoryEntryTable entries = last.entries();
    for (int i = 0; i < entries.count; i++) {
      FileKind kind = entries.kind(i);
      boolean asks = kind == FileKind.FILE || kind == FileKind.SYMLINK;
      if (asks && !(isReusable(entries, i) && isUnchanged(directory, entries, i, stat))) {
        return null;
      }
    }
    return same(last, last.rules(), true);
  }

  private static boolean isUnchanged(
      OpenDirectory directory, DirectoryEntryTable entries, int i, StatBuffer stat)
      throws IOException {
    return directory.statIfPresent(entries.names(), entries.start(i), entries.end(i), stat)
        && entries.matches(i, stat);
  }

  /** For an additional name of a file, only the name is read, which cannot be stale. */
  static boolean isReusable(DirectoryEntryTable entries, int i) {
    return entries.is(i, DirectoryEntryTable.CACHED) || entries.extra(i).linkTo() != null;
  }

  /** Returns the previous state of a subdirectory. */
  @Nullable DirState previousChild(int i, String name, @Nullable DirState last) {
    if (last == null) {
      return null;
    }
    int at = same ? i : last.entries().find(name);
    return at < 0 ? null : last.childOrNull(at);
  }

  static ScanProblem vanished(String name, IOException e) {
    return new ScanProblem(name, SkippedEntry.Reason.VANISHED, String.valueOf(e.getMessage()));
  }

  static ScanProblem unreadable(String name, IOException e) {
    return new ScanProblem(name, SkippedEntry.Reason.UNREADABLE, String.valueOf(e.getMessage()));
  }
}
