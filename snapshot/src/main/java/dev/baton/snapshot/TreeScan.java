/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Walks a tree and digests its files: one use, one thread. */
final class TreeScan {
  private static final int MAX_READS = 3;

  private record Inode(long device, long inode) {}

  private final StatCache.Pass cache;
  private final List<TreeEntry> entries = new ArrayList<>();
  private final List<Skipped> skipped = new ArrayList<>();
  private final Map<Inode, TreePath> firstNames = new HashMap<>();
  private final Map<TreePath, TreeEntry.RegularFile> written;
  private final FileDigest content = new FileDigest();

  private TreeScan(StatCache.Pass cache, Map<TreePath, TreeEntry.RegularFile> written) {
    this.cache = cache;
    this.written = written;
  }

  static TreeListing scan(Path root, Excludes excludes, StatCache cache) throws IOException {
    return scan(root, excludes, cache, Map.of());
  }

  /**
   * Scans what this process has just written where nobody else writes: a file whose size and mtime
   * are as written has the content that was hashed on its way there, and is not read again.
   */
  static TreeListing scanWritten(Path root, TreeListing listing, StatCache cache)
      throws IOException {
    Map<TreePath, TreeEntry.RegularFile> written = new HashMap<>();
    for (TreeEntry entry : listing.entries()) {
      if (entry instanceof TreeEntry.RegularFile file) {
        written.put(file.path(), file);
      }
    }
    // Nothing is excluded here: what was written is what must be there.
    return scan(root, Excludes.none(), cache, written);
  }

  private static TreeListing scan(
      Path root, Excludes excludes, StatCache cache, Map<TreePath, TreeEntry.RegularFile> written)
      throws IOException {
    TreeScan scan = new TreeScan(cache.begin(), written);
    for (TreeWalk.Found found : TreeWalk.walk(root, excludes, scan.skipped)) {
      TreeEntry entry = scan.entry(found);
      if (entry != null) {
        scan.entries.add(entry);
      }
    }
    scan.cache.commit();
    return new TreeListing(scan.entries, scan.skipped);
  }

  private @Nullable TreeEntry entry(TreeWalk.Found found) {
    Stat stat = found.stat();
    try {
      return switch (stat.kind()) {
        case DIRECTORY -> new TreeEntry.Directory(found.path(), stat.permissions(), stat.mtime());
        case SYMLINK -> new TreeEntry.Symlink(found.path(), stat.mtime(), linkTarget(found.file()));
        case FILE -> file(found);
        case OTHER -> null;
      };
    } catch (IOException e) {
      skipped.add(TreeWalk.unreadable(found.path(), e));
      return null;
    }
  }

  /** A run of slashes means one slash, and Java can only write the latter. */
  static String linkTarget(Path link) throws IOException {
    return RawNames.rawOf(Files.readSymbolicLink(link)).replaceAll("/{2,}", "/");
  }

  private @Nullable TreeEntry file(TreeWalk.Found found) throws IOException {
    Inode inode = new Inode(found.stat().device(), found.stat().inode());
    TreePath first = firstNames.get(inode);
    if (first != null) {
      return new TreeEntry.HardLink(found.path(), first);
    }
    TreeEntry entry = content(found);
    if (entry != null && found.stat().links() > 1) {
      firstNames.put(inode, found.path());
    }
    return entry;
  }

  private @Nullable TreeEntry content(TreeWalk.Found found) throws IOException {
    Stat before = found.stat();
    for (int read = 1; ; read++) {
      String sha256 = cache.lookup(before);
      if (sha256 != null) {
        return file(found.path(), before, before.size(), sha256);
      }
      Instant began = Instant.now();
      TreeEntry.RegularFile known = written.get(found.path());
      if (known != null && known.size() == before.size() && known.mtime().equals(before.mtime())) {
        cache.learn(before, known.sha256(), began);
        return file(found.path(), before, before.size(), known.sha256());
      }
      long size = content.read(found.file(), before.size());
      sha256 = content.sha256();
      Stat after = Stat.of(found.file());
      if (after.equals(before) && size == before.size()) {
        cache.learn(before, sha256, began);
        return file(found.path(), before, size, sha256);
      }
      if (after.kind() != Stat.Kind.FILE) {
        skipped.add(
            new Skipped(
                found.path().display(),
                Skipped.Reason.VANISHED,
                "replaced by another kind of file"));
        return null;
      }
      if (read == MAX_READS) {
        String detail = "written during each of " + MAX_READS + " reads";
        skipped.add(new Skipped(found.path().display(), Skipped.Reason.CHANGED_WHILE_READ, detail));
        return file(found.path(), before, size, sha256);
      }
      before = after;
    }
  }

  private static TreeEntry file(TreePath path, Stat stat, long size, String sha256) {
    return new TreeEntry.RegularFile(path, stat.permissions(), stat.mtime(), size, sha256);
  }
}
