/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Captures one tree and restores it.
 *
 * <p>An instance belongs to one tree, for the sake of its {@link StatCache}. Thread-safe, as long
 * as no two restores into the same target run at once. Every method blocks on the disk.
 *
 * @see TreeListing#digest the digest that names a tree's state
 */
public final class TreeArchive {
  private static final int MAX_ATTEMPTS = 3;
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  private final Excludes excludes;
  private final StatCache cache;

  public TreeArchive(Excludes excludes, StatCache cache) {
    this.excludes = excludes;
    this.cache = cache;
  }

  /**
   * What the tree holds now. Reads only the files that changed since this instance last saw them.
   *
   * @throws IOException if the root is missing or not a directory; what cannot be read below it is
   *     in {@code skipped}
   */
  public TreeListing list(Path root) throws IOException {
    return TreeScan.scan(root, excludes, cache);
  }

  /**
   * The digest that {@link #capture} would give, without writing anything: {@code sha256:<hex>}.
   */
  public String digest(Path root) throws IOException {
    return list(root).digest();
  }

  /** As {@link #capture(Path, TreeListing, Path)}, of what the tree holds now. */
  public Capture capture(Path root, Path outFile) throws IOException {
    return capture(root, list(root), outFile);
  }

  /**
   * Writes the tree as a zstd-compressed tar. Equal trees give equal bytes. When files change
   * meanwhile, the whole is repeated, at most three times; then it is taken as it is, and {@code
   * skipped} names those files. The digest is always that of the archive.
   *
   * @param listing what {@link #list} said of it a moment ago
   * @param outFile outside the tree; overwritten
   * @throws IllegalArgumentException if {@code outFile} is inside the tree
   * @throws IOException if the root is missing or the archive cannot be written; it is then removed
   */
  public Capture capture(Path root, TreeListing listing, Path outFile) throws IOException {
    if (outFile.toAbsolutePath().normalize().startsWith(root.toAbsolutePath().normalize())) {
      throw new IllegalArgumentException(
          "the archive " + outFile + " must not be in the tree it captures, " + root);
    }
    try {
      TarWriter.Written written = TarWriter.write(root, listing, outFile);
      for (int attempt = 2; written.moved() && attempt <= MAX_ATTEMPTS; attempt++) {
        written = TarWriter.write(root, list(root), outFile);
      }
      TreeListing taken = written.listing();
      return new Capture(
          taken.digest(),
          taken.treeBytes(),
          taken.fileCount(),
          Files.size(outFile),
          taken.skipped());
    } catch (IOException | RuntimeException e) {
      removeAfter(e, outFile);
      throw e;
    }
  }

  private static void removeAfter(Exception cause, Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Unpacks into a fresh directory beside the target, checks the result against the digest, and
   * only then renames it in. Whatever was at the target is replaced whole, what an {@link Excludes}
   * left out of the archive included. Owners are not restored, setuid and setgid bits dropped.
   *
   * @param archive not closed
   * @param target must not be a mount point (it is renamed)
   * @param expectedDigest {@code sha256:} and 64 lower-case hex digits
   * @throws SnapshotException if the archive is hostile, damaged or another tree; the target is as
   *     before
   * @throws IOException if reading or writing fails; the target is as before
   */
  public Restored restore(InputStream archive, Path target, String expectedDigest, Limits limits)
      throws IOException {
    if (!DIGEST.matcher(expectedDigest).matches()) {
      throw new IllegalArgumentException(
          "digest '" + expectedDigest + "' must be sha256: and 64 lower-case hex digits");
    }
    try (FreshDirectory fresh = FreshDirectory.beside(target)) {
      TreeListing wanted = TarRestore.unpack(archive, fresh.path(), limits);
      check(expectedDigest, wanted, "in the archive");
      LateModes.setDirectories(fresh.path(), wanted);
      TreeListing read = TreeScan.scanWritten(fresh.path(), wanted, cache);
      check(expectedDigest, LateModes.foresee(read, wanted), "as restored");
      LateModes.setLate(fresh.path(), wanted);
      List<String> leftovers = fresh.place();
      return new Restored(expectedDigest, wanted.treeBytes(), wanted.fileCount(), leftovers);
    }
  }

  private static void check(String expected, TreeListing listing, String where) throws IOException {
    String actual = listing.digest();
    if (!actual.equals(expected)) {
      throw new SnapshotException.DigestMismatch(expected, actual, where);
    }
  }
}
