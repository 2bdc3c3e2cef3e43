/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import dev.baton.snapshot.diff.SnapshotWalker;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.restore.SnapshotReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.function.LongConsumer;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Writes a snapshot's files as a zstd-compressed tar that standard tools read, directly from its
 * packs, without restoring it first. Holes become zeros; owners and extended attributes are
 * omitted. For a single use by one thread.
 */
final class SnapshotTarWriter {
  private static final int ZSTD_LEVEL = 3;
  private static final int BUFFER = 1 << 16;

  private final SnapshotReader snapshot;
  private final TarArchiveOutputStream tar;
  private final LongConsumer progress;
  private long bytes;

  private SnapshotTarWriter(
      SnapshotReader snapshot, TarArchiveOutputStream tar, LongConsumer progress) {
    this.snapshot = snapshot;
    this.tar = tar;
    this.progress = progress;
    // Names unchanged (one char, one byte) and of any length; numbers of any size.
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
  }

  /**
   * @param progress gets the number of file bytes written so far
   */
  static void write(SnapshotReader snapshot, Path file, LongConsumer progress)
      throws IOException, InterruptedException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER);
        OutputStream zstd = new ZstdOutputStreamNoFinalizer(out, ZSTD_LEVEL).setChecksum(true);
        TarArchiveOutputStream tar =
            new TarArchiveOutputStream(zstd, StandardCharsets.ISO_8859_1.name())) {
      SnapshotTarWriter export = new SnapshotTarWriter(snapshot, tar, progress);
      SnapshotWalker.walk(snapshot, export::entry);
      tar.finish();
    }
  }

  private void entry(String path, NodeEntry entry) throws IOException, InterruptedException {
    switch (entry) {
      case NodeEntry.Directory directory -> {
        FileMetadata meta = directory.meta();
        begin(
            header(
                path.isEmpty() ? "./" : path + "/",
                TarConstants.LF_DIR,
                meta.mode(),
                Instant.ofEpochSecond(meta.seconds(), meta.nanos())));
      }
      case NodeEntry.File file -> {
        FileMetadata meta = file.meta();
        TarArchiveEntry header =
            header(
                path,
                TarConstants.LF_NORMAL,
                meta.mode(),
                Instant.ofEpochSecond(meta.seconds(), meta.nanos()));
        header.setSize(file.size());
        begin(header);
        snapshot.copy(file, tar);
        bytes += file.size();
        progress.accept(bytes);
      }
      case NodeEntry.Symlink link -> {
        TarArchiveEntry header =
            header(
                path,
                TarConstants.LF_SYMLINK,
                0777,
                Instant.ofEpochSecond(link.seconds(), link.nanos()));
        header.setLinkName(link.target());
        begin(header);
      }
      case NodeEntry.HardLink link -> {
        TarArchiveEntry header = header(path, TarConstants.LF_LINK, 0, Instant.EPOCH);
        header.setLinkName(link.path());
        begin(header);
      }
    }
    tar.closeArchiveEntry();
  }

  private static TarArchiveEntry header(String name, byte type, int mode, Instant modified) {
    // A leading slash or drive letter is a normal part of a name here and must not be stripped.
    TarArchiveEntry header = new TarArchiveEntry(name, type, true);
    header.setMode(mode);
    header.setLastModifiedTime(FileTime.from(modified));
    header.setIds(0, 0);
    header.setNames("", "");
    return header;
  }

  /**
   * Writes the header and the modification time: the library's own time records have a precision of
   * only 100 ns.
   */
  private void begin(TarArchiveEntry header) throws IOException {
    Instant modified = header.getLastModifiedTime().toInstant();
    if (modified.getNano() != 0) {
      // "<length> mtime=<seconds>.<nanoseconds>\n", where the length counts its own two digits.
      String value =
          " mtime="
              + BigDecimal.valueOf(modified.getEpochSecond())
                  .add(BigDecimal.valueOf(modified.getNano(), 9))
                  .toPlainString()
              + "\n";
      byte[] record = ((value.length() + 2) + value).getBytes(StandardCharsets.US_ASCII);
      TarArchiveEntry extension =
          header("PaxHeader", TarConstants.LF_PAX_EXTENDED_HEADER_LC, 0644, Instant.EPOCH);
      extension.setSize(record.length);
      tar.putArchiveEntry(extension);
      tar.write(record);
      tar.closeArchiveEntry();
    }
    tar.putArchiveEntry(header);
  }
}
