/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.Skipped;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.git.TrackedFiles;
import dev.baton.snapshot.posix.Directory;
import dev.baton.snapshot.posix.Kind;
import dev.baton.snapshot.posix.Named;
import dev.baton.snapshot.posix.NotRegularException;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists a directory, and keeps of what was known what is unchanged. One use. */
final class FreshLook {
  private final Scan scan;
  private final Directory directory;
  private final StatBuffer stat = new StatBuffer();
  private final @Nullable DirState last;
  private final String prefix;
  private final boolean isDeepest;
  private final long began;
  private final List<Note> notes = new ArrayList<>();
  private boolean settled = true;
  private int carried;

  /**
   * @param scan which knows where the tree is
   * @param last of this directory, whatever its name was; null if there is none
   * @param prefix raw path from the root, empty or ending in a slash
   * @param isDeepest no directories are entered from here: a tree has at most so many levels
   * @param began milliseconds since 1970, from before anything was asked
   */
  FreshLook(
      Scan scan,
      Directory directory,
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
   * @throws PosixException if the directory is not there any more, or the system is out of memory
   *     or the like
   */
  Look look(Rules inherited) throws IOException {
    directory.stat(stat);
    boolean selfSame = last != null && last.self().matches(stat);
    settled = Settled.before(stat, began);
    Self self =
        last != null && selfSame && last.settled()
            ? known(last)
            : FileAttributes.self(stat, xattrs());
    List<Named> listed = list();
    Rules rules = rules(listed, inherited);
    List<Named> kept = kept(listed, rules);
    Entries entries = new Entries(kept.stream().map(Named::name).toList());
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
        ? Look.same(last, rules, settled)
        : new Look(
            self,
            all ? entries : new Entries(entries, gone),
            List.copyOf(notes),
            rules,
            settled,
            false);
  }

  private Self known(DirState last) {
    last.notes().stream()
        .filter(note -> note.name().isEmpty())
        .filter(note -> note.reason() == Skipped.Reason.ATTRIBUTES_LOST)
        .forEach(notes::add);
    return last.self();
  }

  private List<Xattr> xattrs() throws IOException {
    FileAttributes.Kept kept = FileAttributes.read(directory);
    if (kept.lost() != null) {
      notes.add(new Note("", Skipped.Reason.ATTRIBUTES_LOST, kept.lost()));
    }
    return kept.xattrs();
  }

  private List<Named> list() throws IOException {
    try {
      return directory.list();
    } catch (PosixException e) {
      // A tree without anything would be no cut; what was removed since it was opened is not there.
      if (prefix.isEmpty() || e.isAbsent() || e.isExhausted()) {
        throw e;
      }
      notes.add(Look.unreadable("", e));
      settled = false;
      return List.of();
    }
  }

  private Rules rules(List<Named> listed, Rules inherited) throws IOException {
    if (!inherited.readsIgnoreFiles()) {
      return inherited;
    }
    boolean ignoreFile = false;
    boolean workTree = false;
    int repository = 0;
    for (Named named : listed) {
      switch (named.name()) {
        case "HEAD", "objects", "refs" -> repository++;
        case Rules.IGNORE_FILE ->
            ignoreFile = named.kind() == Kind.FILE || named.kind() == Kind.UNKNOWN;
        case ".git" -> workTree = true;
        default -> {}
      }
    }
    // A repository without files of its own is laid out like a .git.
    if (repository == 3) {
      return Rules.EVERYTHING;
    }
    Rules rules = workTree ? inRepository(inherited) : inherited;
    return ignoreFile ? withIgnoreFile(rules) : rules;
  }

  private Rules inRepository(Rules inherited) {
    Rules known = last == null ? null : last.rules().repositoryOn(inherited);
    TrackedFiles files = known == null ? null : known.tracked();
    return known != null
            && files != null
            && files.base().equals(prefix)
            && scan.isOf(files)
            && files.isCurrent()
        ? known
        : inherited.tracking(scan.tracked(prefix, inherited.names()));
  }

  private Rules withIgnoreFile(Rules inherited) throws IOException {
    byte[] text;
    try {
      text = IgnoreFile.read(directory, stat);
    } catch (IOException e) {
      if (e instanceof PosixException p && p.isExhausted()) {
        throw e;
      }
      boolean replaced =
          e instanceof NotRegularException || (e instanceof PosixException p && p.isReplaced());
      if (!replaced) {
        notes.add(Look.unreadable(Rules.IGNORE_FILE, e));
      }
      settled = false;
      return inherited;
    }
    settled &= Settled.before(stat, began);
    return last != null && last.rules().isWith(inherited, prefix, text)
        ? last.rules()
        : inherited.with(prefix, text);
  }

  private List<Named> kept(List<Named> listed, Rules rules) throws IOException {
    List<Named> kept = new ArrayList<>(listed.size());
    for (Named each : listed) {
      Named named = each;
      if (each.kind() == Kind.UNKNOWN && directory.statIfPresent(each.name(), stat)) {
        named = new Named(each.name(), stat.kind());
      }
      boolean isDirectory = named.kind() == Kind.DIRECTORY;
      if (rules.excludes(prefix, named.name(), isDirectory)) {
        notes.add(new Note(named.name(), Skipped.Reason.LEFT_OUT, ""));
      } else {
        if (isDirectory && isDeepest) {
          String detail = "more than %d levels deep".formatted(ScanTask.MAX_DEPTH);
          notes.add(new Note(named.name(), Skipped.Reason.UNREADABLE, detail));
        } else {
          kept.add(named);
        }
      }
    }
    kept.sort((a, b) -> a.name().compareTo(b.name()));
    // A listing comes in no order, and the notes are compared with those of the next one.
    notes.sort(Comparator.comparing(Note::name));
    return kept;
  }

  /** False if it is not there, or cannot be asked. */
  private boolean take(Entries entries, int i, String name, Kind listed, int known)
      throws IOException {
    Kind kind = listed;
    if (kind != Kind.DIRECTORY && kind != Kind.OTHER) {
      try {
        directory.stat(name, stat);
      } catch (PosixException e) {
        return lost(name, e);
      }
      kind = stat.kind();
    }
    Entries before = last == null || known < 0 ? null : last.entries();
    switch (kind) {
      case DIRECTORY, OTHER -> {
        entries.kind(i, kind);
        if (kind == Kind.OTHER) {
          String detail = "a socket, FIFO or device";
          notes.add(new Note(name, Skipped.Reason.SPECIAL_FILE, detail));
        }
        carried += before != null && before.kind(known) == kind ? 1 : 0;
      }
      case FILE, SYMLINK, UNKNOWN -> {
        if (before != null && before.matches(known, stat) && Look.isReusable(before, known)) {
          entries.copy(before, known, i);
          carried++;
        } else {
          return found(entries, i, name);
        }
      }
    }
    return true;
  }

  private boolean found(Entries entries, int i, String name) throws IOException {
    String target = null;
    if (stat.kind() == Kind.SYMLINK) {
      try {
        target = directory.readlink(name);
      } catch (PosixException e) {
        return lost(name, e);
      }
      entries.flags[i] = Settled.before(stat, began) ? Entries.CACHED : Entries.KNOWN;
    }
    entries.set(i, stat);
    entries.extra(i, Extra.of(stat, target));
    return true;
  }

  private boolean lost(String name, PosixException e) throws PosixException {
    if (e.isExhausted()) {
      throw e;
    }
    notes.add(new Note(name, Skipped.Reason.of(e), String.valueOf(e.getMessage())));
    return false;
  }
}
