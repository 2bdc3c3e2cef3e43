/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;

/**
 * What a tree holds: every entry, sorted by raw path, the root first. Two trees with equal {@link
 * #digest} are the same to every program that reads them (owner, extended attributes and access
 * times aside).
 *
 * @param skipped what is not in {@code entries}, or not for certain; not part of the digest
 */
public record TreeListing(List<TreeEntry> entries, List<Skipped> skipped) {
  private static final String FORMAT = "baton-tree 1\n";

  public TreeListing {
    entries = List.copyOf(entries);
    skipped = List.copyOf(skipped);
  }

  /**
   * {@code sha256:<hex>} over the canonical listing that DESIGN.md defines. Costs no file access.
   */
  public String digest() {
    MessageDigest sha = Sha256.create();
    sha.update(FORMAT.getBytes(StandardCharsets.ISO_8859_1));
    for (TreeEntry entry : entries) {
      sha.update(line(entry).getBytes(StandardCharsets.ISO_8859_1));
    }
    return "sha256:" + Sha256.finish(sha);
  }

  private static String line(TreeEntry entry) {
    return switch (entry) {
      case TreeEntry.Directory d -> line('d', d.mode(), d.mtime(), "-", d.path(), "");
      case TreeEntry.RegularFile f -> line('f', f.mode(), f.mtime(), f.sha256(), f.path(), "");
      case TreeEntry.Symlink l -> line('l', 0, l.mtime(), "-", l.path(), l.target());
      case TreeEntry.HardLink h -> line('h', 0, Instant.EPOCH, "-", h.path(), h.first().raw());
    };
  }

  private static String line(
      char type, int mode, Instant mtime, String sha256, TreePath path, String link) {
    String nanos = Integer.toString(1_000_000_000 + mtime.getNano()).substring(1);
    String octal = Integer.toOctalString(010000 + mode).substring(1);
    return type
        + " "
        + octal
        + " "
        + mtime.getEpochSecond()
        + "."
        + nanos
        + " "
        + sha256
        + " "
        + path.raw()
        + "\0"
        + link
        + "\0";
  }

  /** Bytes of file content, each file counted once however many names it has. */
  public long treeBytes() {
    return entries.stream()
        .mapToLong(e -> e instanceof TreeEntry.RegularFile f ? f.size() : 0)
        .sum();
  }

  /** Names that are not directories. */
  public long fileCount() {
    return entries.stream().filter(e -> !(e instanceof TreeEntry.Directory)).count();
  }
}
