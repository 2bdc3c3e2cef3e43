/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.StatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last scanned state of a directory and everything below it.
 *
 * <p>A scan creates a new state for each directory that has changed, or has a change below it, and
 * reuses the others. A capture then reads the files that {@link #needsReading}, reports them with
 * {@link #learn} or {@link #skip}, and {@link #seal}s each directory with the hash of its node,
 * from the leaves up. A sealed state never changes. What an interrupted capture has recorded stays
 * valid, and the next scan uses it.
 *
 * <p>Thread-safe for learning and skipping of different entries; all other use requires safe
 * publication.
 */
public final class DirState {
  private final DirectoryStat self;
  private final DirectoryEntryTable entries;
  private final @Nullable DirState[] children;
  private final List<ScanProblem> notes;
  private final boolean linksBelow;
  private final boolean notesBelow;

  /** The rules in force above it, and in it. */
  private IgnoreRuleSet inherited;

  private IgnoreRuleSet rules;

  /** Whether its names are reliable as long as its times are the same. */
  private boolean settled;

  private volatile @Nullable Hash node;
  private long treeBytes;

  DirState(
      DirectoryStat self,
      DirectoryEntryTable entries,
      @Nullable DirState[] children,
      List<ScanProblem> notes,
      IgnoreRuleSet inherited,
      IgnoreRuleSet rules,
      boolean settled) {
    this.self = self;
    this.entries = entries;
    this.children = children;
    this.notes = notes;
    this.inherited = inherited;
    this.rules = rules;
    this.settled = settled;
    boolean links = false;
    boolean noted = !notes.isEmpty();
    for (int i = 0; i < entries.count; i++) {
      DirState child = children[i];
      links |= child == null ? entries.extra(i).links() > 1 : child.linksBelow;
      noted |= child != null && child.notesBelow;
    }
    linksBelow = links;
    notesBelow = noted;
  }

  /** Returns the directory's own mode, time, owner and attributes. */
  public FileMetadata meta() {
    return self.meta();
  }

  /**
   * Returns the number of entries, including those that are not {@linkplain #isPresent present}.
   */
  public int size() {
    return entries.count;
  }

  /** Returns the name in raw bytes; names are ascending. */
  public String name(int i) {
    return entries.name(i);
  }

  /** Returns the kind; {@link FileKind#OTHER} for entries that are never captured. */
  public FileKind kind(int i) {
    return entries.kind(i);
  }

  /** Returns whether the entry is part of the directory's node. */
  public boolean isPresent(int i) {
    return entries.kind(i) != FileKind.OTHER && !entries.is(i, DirectoryEntryTable.SKIPPED);
  }

  /**
   * Returns the state of a subdirectory.
   *
   * @throws IllegalArgumentException if the entry is not a directory
   */
  public DirState child(int i) {
    DirState child = children[i];
    if (child == null) {
      throw new IllegalArgumentException("'%s' is %s, not a directory".formatted(name(i), kind(i)));
    }
    return child;
  }

  /** Returns the target of a symbolic link, raw; empty for other entries. */
  public String target(int i) {
    String target = entries.extra(i).target();
    return target == null ? "" : target;
  }

  /**
   * Returns the path, raw and from the root, of the file's first name; null for the first name
   * itself.
   */
  public @Nullable String linkTo(int i) {
    return entries.extra(i).linkTo();
  }

  /** Returns the number of names of the file, including names outside the tree. */
  public int links(int i) {
    return entries.extra(i).links();
  }

  /** Returns the size of a file in bytes. */
  public long length(int i) {
    return entries.sizes[i];
  }

  /**
   * Returns the metadata of an entry that is not a directory; without attributes until it is read.
   */
  public FileMetadata meta(int i) {
    ExtraAttributes extra = entries.extra(i);
    return new FileMetadata(
        entries.modes[i], entries.mtimes[i], entries.mtimeNanos[i], extra.owner(), extra.xattrs());
  }

  /** Returns whether the entry is a file's first name and its content must be read (again). */
  public boolean needsReading(int i) {
    return entries.kind(i) == FileKind.FILE
        && !entries.is(i, DirectoryEntryTable.KNOWN)
        && !entries.is(i, DirectoryEntryTable.SKIPPED)
        && linkTo(i) == null;
  }

  /** Returns the content of a file; null until it is read. */
  public @Nullable FileContent content(int i) {
    if (!entries.is(i, DirectoryEntryTable.KNOWN)) {
      return null;
    }
    FileContent content = entries.extra(i).content();
    if (content != null) {
      return content;
    }
    long size = entries.sizes[i];
    if (size == 0) {
      return FileContent.EMPTY;
    }
    long[] h = entries.hashes;
    Hash hash = new Hash(h[4 * i], h[4 * i + 1], h[4 * i + 2], h[4 * i + 3]);
    return new FileContent.Inline(List.of(new Extent.Data(hash, (int) size)));
  }

  /**
   * Returns the entry for the directory's node.
   *
   * @throws IllegalStateException if it is not present, not read, or a directory that is not sealed
   */
  public NodeEntry entry(int i) {
    String name = name(i);
    return switch (kind(i)) {
      case DIRECTORY -> {
        DirState child = child(i);
        yield new NodeEntry.Directory(name, child.meta(), required(child.node, name));
      }
      case FILE -> {
        String first = linkTo(i);
        yield first != null
            ? new NodeEntry.HardLink(name, first)
            : new NodeEntry.File(name, meta(i), length(i), required(content(i), name));
      }
      case SYMLINK ->
          new NodeEntry.Symlink(name, entries.mtimes[i], entries.mtimeNanos[i], target(i));
      case OTHER, UNKNOWN -> throw new IllegalStateException("'%s' is skipped".formatted(name));
    };
  }

  private static <T> T required(@Nullable T value, String name) {
    if (value == null) {
      throw new IllegalStateException("'%s' was not read yet".formatted(name));
    }
    return value;
  }

  /**
   * Records content that was read.
   *
   * @param stat of the file before the read, unchanged after it; the entry is this file from now on
   * @param xattrs of this file
   * @param trusted whether the next scan may rely on it: false if the file changed during the read,
   *     otherwise according to {@link TimestampTrustPolicy}
   * @throws IllegalStateException if the entry does not need reading
   */
  public synchronized void learn(
      int i, StatBuffer stat, List<Xattr> xattrs, FileContent content, boolean trusted) {
    requireOpen(i);
    ExtraAttributes extra = entries.extra(i);
    // A name was added or removed: only a scan of all names finds out which.
    boolean sameLinks = stat.links == Math.max(1, extra.links());
    entries.set(i, stat);
    Hash only = hash(i, content);
    boolean plain = only != null || (stat.size == 0 && content.equals(FileContent.EMPTY));
    entries.extra(i, extra.with(FileAttributeReader.owner(stat), xattrs, plain ? null : content));
    entries.flags[i] =
        trusted && sameLinks ? DirectoryEntryTable.CACHED : DirectoryEntryTable.KNOWN;
  }

  /**
   * Records content without reading it, because this process has just written the file. The scan
   * has seen the file in its final state.
   *
   * @param xattrs of the file, which a scan does not read
   * @param began milliseconds since 1970, when that scan began
   * @throws IllegalStateException if the entry does not need reading
   */
  public synchronized void learnWritten(
      int i, List<Xattr> xattrs, FileContent content, long began) {
    requireOpen(i);
    boolean plain =
        hash(i, content) != null || (entries.sizes[i] == 0 && content.equals(FileContent.EMPTY));
    ExtraAttributes extra = entries.extra(i);
    entries.extra(i, extra.with(extra.owner(), xattrs, plain ? null : content));
    entries.flags[i] =
        entries.settled(i, began) ? DirectoryEntryTable.CACHED : DirectoryEntryTable.KNOWN;
  }

  /** Stores the hash if the content is a single chunk, and returns it; otherwise returns null. */
  private @Nullable Hash hash(int i, FileContent content) {
    Hash only = onlyChunk(content, entries.sizes[i]);
    if (only != null) {
      entries.hashes[4 * i] = only.a();
      entries.hashes[4 * i + 1] = only.b();
      entries.hashes[4 * i + 2] = only.c();
      entries.hashes[4 * i + 3] = only.d();
    }
    return only;
  }

  private static @Nullable Hash onlyChunk(FileContent content, long size) {
    return content instanceof FileContent.Inline inline
            && inline.extents().size() == 1
            && inline.extents().getFirst() instanceof Extent.Data data
            && data.size() == size
        ? data.chunk()
        : null;
  }

  /**
   * Records that the file could not be read: it is left out, and the next capture tries it again.
   */
  public synchronized void skip(int i) {
    requireOpen(i);
    entries.flags[i] = DirectoryEntryTable.SKIPPED;
  }

  private void requireOpen(int i) {
    if (node != null || !needsReading(i)) {
      throw new IllegalStateException("'%s' needs no reading".formatted(name(i)));
    }
  }

  /** Returns the hash of the directory's node; null until it is sealed. */
  public @Nullable Hash node() {
    return node;
  }

  /**
   * Completes the state, which is immutable afterwards.
   *
   * @throws IllegalStateException if a directory in it is not sealed, or a file not read
   */
  public synchronized void seal(Hash hash) {
    long bytes = 0;
    for (int i = 0; i < entries.count; i++) {
      DirState child = children[i];
      if (child != null) {
        required(child.node, name(i));
        bytes += child.treeBytes;
      } else if (isPresent(i)) {
        if (needsReading(i)) {
          throw new IllegalStateException("'%s' was not read yet".formatted(name(i)));
        }
        bytes += kind(i) == FileKind.FILE && linkTo(i) == null ? length(i) : 0;
      }
    }
    treeBytes = bytes;
    node = hash;
  }

  /**
   * Returns the sum of the sizes of the files in it and below, each counted once; valid once
   * sealed.
   */
  public long treeBytes() {
    return treeBytes;
  }

  DirectoryStat self() {
    return self;
  }

  DirectoryEntryTable entries() {
    return entries;
  }

  @Nullable DirState[] children() {
    return children;
  }

  @Nullable DirState childOrNull(int i) {
    return children[i];
  }

  List<ScanProblem> notes() {
    return notes;
  }

  boolean linksBelow() {
    return linksBelow;
  }

  boolean notesBelow() {
    return notesBelow;
  }

  IgnoreRuleSet inherited() {
    return inherited;
  }

  IgnoreRuleSet rules() {
    return rules;
  }

  boolean settled() {
    return settled;
  }

  /** Records that a scan found no change under these rules; affects only the next scan. */
  void confirm(IgnoreRuleSet inherited, IgnoreRuleSet rules, boolean settled) {
    this.inherited = inherited;
    this.rules = rules;
    this.settled = settled;
  }

  /** Returns a copy with these entries and children. */
  DirState with(DirectoryEntryTable entries, @Nullable DirState[] children) {
    return new DirState(self, entries, children, notes, inherited, rules, settled);
  }
}
