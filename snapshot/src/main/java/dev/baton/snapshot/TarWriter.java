/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes the files of a listing as one zstd-compressed tar: one use, one thread. */
final class TarWriter {
  static final String ROOT_NAME = "./";
  private static final int ZSTD_LEVEL = 3;

  /**
   * @param listing what the archive really holds
   * @param moved whether that differs from what was asked for, because files changed meanwhile
   */
  record Written(TreeListing listing, boolean moved) {}

  private final Path root;
  private final TarArchiveOutputStream tar;
  private final List<TreeEntry> entries = new ArrayList<>();
  private final List<Skipped> skipped;
  private final Set<TreePath> lost = new HashSet<>();
  private final byte[] buffer = new byte[1 << 16];
  private boolean moved;

  private TarWriter(Path root, TarArchiveOutputStream tar, List<Skipped> skipped) {
    this.root = root;
    this.tar = tar;
    this.skipped = new ArrayList<>(skipped);
    // Names as they are (one char, one byte), of any length, and numbers of any size in the header
    // itself.
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
  }

  static Written write(Path root, TreeListing listing, Path outFile) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(outFile), 1 << 16);
        OutputStream zstd = new ZstdOutputStreamNoFinalizer(out, ZSTD_LEVEL).setChecksum(true);
        TarArchiveOutputStream tar =
            new TarArchiveOutputStream(zstd, StandardCharsets.ISO_8859_1.name())) {
      TarWriter writer = new TarWriter(root, tar, listing.skipped());
      for (TreeEntry entry : listing.entries()) {
        writer.entry(entry);
      }
      tar.finish();
      return new Written(new TreeListing(writer.entries, writer.skipped), writer.moved);
    }
  }

  private void entry(TreeEntry entry) throws IOException {
    String name = entry.path().raw();
    switch (entry) {
      case TreeEntry.Directory d -> {
        String dirName = name.isEmpty() ? ROOT_NAME : name + "/";
        put(header(dirName, TarConstants.LF_DIR, d.mode(), d.mtime()), d);
      }
      case TreeEntry.Symlink l -> {
        TarArchiveEntry header = header(name, TarConstants.LF_SYMLINK, 0777, l.mtime());
        header.setLinkName(l.target());
        put(header, l);
      }
      case TreeEntry.HardLink h -> {
        if (lost.contains(h.first())) {
          skipped.add(
              new Skipped(
                  h.path().display(), Skipped.Reason.VANISHED, "another name of " + h.first()));
        } else {
          TarArchiveEntry header = header(name, TarConstants.LF_LINK, 0, Instant.EPOCH);
          header.setLinkName(h.first().raw());
          put(header, h);
        }
      }
      case TreeEntry.RegularFile f -> file(f);
    }
  }

  private void put(TarArchiveEntry header, TreeEntry entry) throws IOException {
    begin(header);
    tar.closeArchiveEntry();
    entries.add(entry);
  }

  /**
   * The library's own PAX records stop at 100 ns, so the one record that matters is written here.
   */
  private void begin(TarArchiveEntry header) throws IOException {
    Instant mtime = header.getLastModifiedTime().toInstant();
    if (mtime.getNano() != 0) {
      // "<length> mtime=<seconds>.<nanoseconds>\n", where the length counts its own two digits.
      String value =
          " mtime="
              + BigDecimal.valueOf(mtime.getEpochSecond())
                  .add(BigDecimal.valueOf(mtime.getNano(), 9))
                  // Readers do not know exponents, which 5 ns after the epoch would get.
                  .toPlainString()
              + "\n";
      byte[] pax = ((value.length() + 2) + value).getBytes(StandardCharsets.US_ASCII);
      TarArchiveEntry extension =
          header("PaxHeader", TarConstants.LF_PAX_EXTENDED_HEADER_LC, 0644, Instant.EPOCH);
      extension.setSize(pax.length);
      tar.putArchiveEntry(extension);
      tar.write(pax);
      tar.closeArchiveEntry();
    }
    tar.putArchiveEntry(header);
  }

  private void file(TreeEntry.RegularFile file) throws IOException {
    InputStream in;
    try {
      in = Files.newInputStream(RawNames.resolve(root, file.path()), LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      skipped.add(TreeWalk.unreadable(file.path(), e));
      lost.add(file.path());
      moved = true;
      return;
    }
    try (in) {
      TarArchiveEntry header =
          header(file.path().raw(), TarConstants.LF_NORMAL, file.mode(), file.mtime());
      header.setSize(file.size());
      begin(header);
      entries.add(content(file, in));
      tar.closeArchiveEntry();
    }
  }

  /**
   * Writes exactly the announced size, zeros for what is not there any more, and says what was
   * written.
   */
  private TreeEntry content(TreeEntry.RegularFile file, InputStream in) throws IOException {
    MessageDigest sha = Sha256.create();
    String trouble = "its content is not what it was a moment ago";
    boolean ended = false;
    for (long left = file.size(); left > 0; ) {
      int wanted = (int) Math.min(buffer.length, left);
      int n = -1;
      if (!ended) {
        try {
          n = in.read(buffer, 0, wanted);
        } catch (IOException e) {
          trouble = e.toString();
        }
      }
      if (n < 0) {
        ended = true;
        n = wanted;
        Arrays.fill(buffer, 0, n, (byte) 0);
      }
      sha.update(buffer, 0, n);
      tar.write(buffer, 0, n);
      left -= n;
    }
    String sha256 = Sha256.finish(sha);
    if (sha256.equals(file.sha256())) {
      return file;
    }
    moved = true;
    skipped.add(new Skipped(file.path().display(), Skipped.Reason.CHANGED_WHILE_READ, trouble));
    return new TreeEntry.RegularFile(file.path(), file.mode(), file.mtime(), file.size(), sha256);
  }

  private static TarArchiveEntry header(String name, byte type, int mode, Instant mtime) {
    TarArchiveEntry header = new TarArchiveEntry(name, type, true);
    header.setMode(mode);
    header.setLastModifiedTime(FileTime.from(mtime));
    // Who captures must not show in the bytes.
    header.setIds(0, 0);
    header.setNames("", "");
    return header;
  }
}
