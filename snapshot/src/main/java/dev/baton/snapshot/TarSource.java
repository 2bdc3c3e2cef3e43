/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a zstd-compressed tar nobody vouches for. Headers cost bounded memory whatever they
 * announce, and a source that cannot be read (try again) is told from bytes that make no sense (do
 * not).
 */
final class TarSource implements AutoCloseable {
  /** A header with its extensions: several of the longest names Linux has. */
  private static final long MAX_HEADER = 1 << 16;

  private static final int BUFFER = 1 << 16;

  private final Source source;
  private final Budget budget;
  private final TarArchiveInputStream tar;

  TarSource(InputStream archive) throws IOException {
    source = new Source(archive);
    // Headers are read in small pieces, each of which would be a call into native code.
    budget = new Budget(new BufferedInputStream(new ZstdInputStreamNoFinalizer(source), BUFFER));
    tar = new TarArchiveInputStream(budget, StandardCharsets.ISO_8859_1.name());
  }

  /** Null at the end. */
  @Nullable TarArchiveEntry next() throws IOException {
    budget.left = MAX_HEADER;
    try {
      TarArchiveEntry entry = tar.getNextEntry();
      // Read content takes a multiple of the record size.
      budget.left = entry == null ? 0 : Math.addExact(entry.getSize(), tar.getRecordSize());
      return entry;
    } catch (IOException | RuntimeException e) {
      throw failure(e);
    }
  }

  /** As {@link InputStream#read(byte[], int, int)}, of the current entry. */
  int read(byte[] buffer, int length) throws IOException {
    try {
      return tar.read(buffer, 0, length);
    } catch (IOException | RuntimeException e) {
      throw failure(e);
    }
  }

  private IOException failure(Exception e) {
    if (source.failure != null) {
      return source.failure;
    }
    if (budget.left < 0) {
      return new SnapshotException.TooLarge(
          "an entry's header is larger than " + MAX_HEADER + " bytes");
    }
    return new SnapshotException.Corrupt("the archive cannot be read", e);
  }

  @Override
  public void close() throws IOException {
    tar.close();
  }

  /** Counts down, and fails when nothing is left; {@code left} is then negative. */
  private static final class Budget extends FilterInputStream {
    private long left;

    Budget(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      spend(b < 0 ? 0 : 1);
      return b;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int n = super.read(buffer, offset, length);
      spend(Math.max(n, 0));
      return n;
    }

    @Override
    public long skip(long count) throws IOException {
      long n = super.skip(count);
      spend(n);
      return n;
    }

    private void spend(long count) throws IOException {
      left -= count;
      if (left < 0) {
        throw new IOException("budget spent");
      }
    }
  }

  /** Remembers why the caller's stream failed, and leaves closing it to the caller. */
  private static final class Source extends FilterInputStream {
    private @Nullable IOException failure;

    Source(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      try {
        return super.read(buffer, offset, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }

    @Override
    public void close() {}
  }
}
