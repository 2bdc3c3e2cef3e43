/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.git.GitTrackedFileChecker;
import dev.baton.snapshot.posix.DirEntry;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.NotRegularException;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists a directory and reuses the entries that have not changed. Single use. */
final class DirectoryRescan {
  private final TreeScanExecutor scan;
  private final OpenDirectory directory;
  private final StatBuffer stat = new StatBuffer();
  private final @Nullable DirState last;
  private final String prefix;
  private final boolean isDeepest;
  private final long began;
  private final List<ScanProblem> notes = new ArrayList<>();
  private boolean settled = true;
  private int carried;

  /**
   * @param scan has the path of the tree
   * @param last state of this directory, under any name; null if it is new
   * @param prefix raw path from the root, empty or ending in a slash
   * @param isDeepest whether the directory is at the maximum depth: subdirectories are not entered
   * @param began milliseconds since 1970, before the first system call
   */
  DirectoryRescan(
      TreeScanExecutor scan,
      OpenDirectory directory,
      @Nullable DirState last,
      String prefix,
      boolean isDeepest,
      long began) {
    this.scan = scan;
    this.directory = directory;
    this.last = last;
    this.prefix = prefix;
    this.isDeepest = isDeepest;
    this.began = began;
  }

  /**
   * @throws PosixException if the directory no longer exists, or memory, disk space or open files
   *     are exhausted
   */
  DirectoryScanResult look(IgnoreRuleSet inherited) throws IOException {
    directory.stat(stat);
    boolean selfSame = last != null && last.self().matches(stat);
    settled = TimestampTrustPolicy.before(stat, began);
    DirectoryStat self =
        last != null && selfSame && last.settled()
            ? known(last)
            : FileAttributeReader.self(stat, xattrs());
    List<DirEntry> listed = list();
    IgnoreRuleSet rules = rules(listed, inherited);
    List<DirEntry> kept = kept(listed, rules);
    DirectoryEntryTable entries =
        new DirectoryEntryTable(kept.stream().map(DirEntry::name).toList());
    boolean[] gone = new boolean[entries.count];
    boolean all = true;
    int at = 0;
    for (int i = 0; i < entries.count; i++) {
      String name = kept.get(i).name();
      while (last != null && at < last.size() && last.name(at).compareTo(name) < 0) {
        at++;
      }
      boolean known = last != null && at < last.size() && last.name(at).equals(name);
      gone[i] = !take(entries, i, name, kept.get(i).kind(), known ? at : -1);
      all &= !gone[i];
    }
    settled &= all;
    boolean same =
        last != null
            && selfSame
            && self.meta().equals(last.meta())
            && carried == entries.count
            && carried == last.size()
            && notes.equals(last.notes());
    return last != null && same
        ? DirectoryScanResult.same(last, rules, settled)
        : new DirectoryScanResult(
            self,
            all ? entries : new DirectoryEntryTable(entries, gone),
            List.copyOf(notes),
            rules,
            settled,
            false);
  }

  private DirectoryStat known(DirState last) {
    last.notes().stream()
        .filter(note -> note.name().isEmpty())
        .filter(note -> note.reason() == SkippedEntry.Reason.ATTRIBUTES_LOST)
        .forEach(notes::add);
    return last.self();
  }

  private List<Xattr> xattrs() throws IOException {
    FileAttributeReader.Kept kept = FileAttributeReader.read(directory);
    if (kept.lost() != null) {
      notes.add(new ScanProblem("", SkippedEntry.Reason.ATTRIBUTES_LOST, kept.lost()));
    }
    return kept.xattrs();
  }

  private List<DirEntry> list() throws IOException {
    try {
      return directory.list();
    } catch (PosixException e) {
      // An empty tree would not be a valid capture. A directory removed since it was opened is
      // reported as missing.
      if (prefix.isEmpty() || e.isAbsent() || e.isExhausted()) {
        throw e;
      }
      notes.add(DirectoryScanResult.unreadable("", e));
      settled = false;
      return List.of();
    }
  }

  private IgnoreRuleSet rules(List<DirEntry> listed, IgnoreRuleSet inherited) throws IOException {
    if (!inherited.readsIgnoreFiles()) {
      return inherited;
    }
    boolean ignoreFile = false;
    boolean workTree = false;
    int repository = 0;
    for (DirEntry named : listed) {
      switch (named.name()) {
        case "HEAD", "objects", "refs" -> repository++;
        case IgnoreRuleSet.IGNORE_FILE ->
            ignoreFile = named.kind() == FileKind.FILE || named.kind() == FileKind.UNKNOWN;
        case ".git" -> workTree = true;
        default -> {}
      }
    }
    // A bare repository has the layout of a .git directory.
    if (repository == 3) {
      return IgnoreRuleSet.EVERYTHING;
    }
    IgnoreRuleSet rules = workTree ? inRepository(inherited) : inherited;
    return ignoreFile ? withIgnoreFile(rules) : rules;
  }

  private IgnoreRuleSet inRepository(IgnoreRuleSet inherited) {
    IgnoreRuleSet known = last == null ? null : last.rules().repositoryOn(inherited);
    GitTrackedFileChecker files = known == null ? null : known.tracked();
    return known != null
            && files != null
            && files.base().equals(prefix)
            && scan.isOf(files)
            && files.isCurrent()
        ? known
        : inherited.tracking(scan.tracked(prefix, inherited.names()));
  }

  private IgnoreRuleSet withIgnoreFile(IgnoreRuleSet inherited) throws IOException {
    byte[] text;
    try {
      text = IgnoreFileReader.read(directory, stat);
    } catch (IOException e) {
      if (e instanceof PosixException p && p.isExhausted()) {
        throw e;
      }
      boolean replaced =
          e instanceof NotRegularException || (e instanceof PosixException p && p.isReplaced());
      if (!replaced) {
        notes.add(DirectoryScanResult.unreadable(IgnoreRuleSet.IGNORE_FILE, e));
      }
      settled = false;
      return inherited;
    }
    settled &= TimestampTrustPolicy.before(stat, began);
    return last != null && last.rules().isWith(inherited, prefix, text)
        ? last.rules()
        : inherited.with(prefix, text);
  }

  private List<DirEntry> kept(List<DirEntry> listed, IgnoreRuleSet rules) throws IOException {
    List<DirEntry> kept = new ArrayList<>(listed.size());
    for (DirEntry each : listed) {
      DirEntry named = each;
      if (each.kind() == FileKind.UNKNOWN && directory.statIfPresent(each.name(), stat)) {
        named = new DirEntry(each.name(), stat.kind());
      }
      boolean isDirectory = named.kind() == FileKind.DIRECTORY;
      if (rules.excludes(prefix, named.name(), isDirectory)) {
        notes.add(new ScanProblem(named.name(), SkippedEntry.Reason.LEFT_OUT, ""));
      } else {
        if (isDirectory && isDeepest) {
          String detail = "more than %d levels deep".formatted(ScanTask.MAX_DEPTH);
          notes.add(new ScanProblem(named.name(), SkippedEntry.Reason.UNREADABLE, detail));
        } else {
          kept.add(named);
        }
      }
    }
    kept.sort((a, b) -> a.name().compareTo(b.name()));
    // A listing is unordered, and the notes are compared with those of the next one.
    notes.sort(Comparator.comparing(ScanProblem::name));
    return kept;
  }

  /** Returns false if the entry is missing, or its attributes cannot be read. */
  private boolean take(DirectoryEntryTable entries, int i, String name, FileKind listed, int known)
      throws IOException {
    FileKind kind = listed;
    if (kind != FileKind.DIRECTORY && kind != FileKind.OTHER) {
      try {
        directory.stat(name, stat);
      } catch (PosixException e) {
        return lost(name, e);
      }
      kind = stat.kind();
    }
    DirectoryEntryTable before = last == null || known < 0 ? null : last.entries();
    switch (kind) {
      case DIRECTORY, OTHER -> {
        entries.kind(i, kind);
        if (kind == FileKind.OTHER) {
          String detail = "a socket, FIFO or device";
          notes.add(new ScanProblem(name, SkippedEntry.Reason.SPECIAL_FILE, detail));
        }
        carried += before != null && before.kind(known) == kind ? 1 : 0;
      }
      case FILE, SYMLINK, UNKNOWN -> {
        if (before != null
            && before.matches(known, stat)
            && DirectoryScanResult.isReusable(before, known)) {
          entries.copy(before, known, i);
          carried++;
        } else {
          return found(entries, i, name);
        }
      }
    }
    return true;
  }

  private boolean found(DirectoryEntryTable entries, int i, String name) throws IOException {
    String target = null;
    if (stat.kind() == FileKind.SYMLINK) {
      try {
        target = directory.readlink(name);
      } catch (PosixException e) {
        return lost(name, e);
      }
      entries.flags[i] =
          TimestampTrustPolicy.before(stat, began)
              ? DirectoryEntryTable.CACHED
              : DirectoryEntryTable.KNOWN;
    }
    entries.set(i, stat);
    entries.extra(i, ExtraAttributes.of(stat, target));
    return true;
  }

  private boolean lost(String name, PosixException e) throws PosixException {
    if (e.isExhausted()) {
      throw e;
    }
    notes.add(new ScanProblem(name, SkippedEntry.Reason.of(e), String.valueOf(e.getMessage())));
    return false;
  }
}
