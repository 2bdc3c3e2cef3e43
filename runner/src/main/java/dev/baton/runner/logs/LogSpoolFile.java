/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogRecordReader;
import dev.baton.protocol.log.LogRecordWriter;
import dev.baton.protocol.log.LogStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stores lines until they are uploaded as a chunk: on the disk, and the newest in memory. Lines
 * that the disk does not accept stay in memory and are written with the next lines. For one thread
 * at a time.
 */
final class LogSpoolFile {
  /** Bytes of records after which a file becomes a chunk. */
  static final int FULL_BYTES = 8 << 20;

  /** Limit of bytes that stay in memory while the disk does not accept them. */
  private static final int MOST_IN_MEMORY = 256 << 10;

  private static final Pattern NAME = Pattern.compile("([0-9]{1,9})-([0-9]{1,15})\\.log");

  private final Path path;
  private final LogIndexBuilder index;
  private final LogRecordWriter writer = new LogRecordWriter();
  private @Nullable FileChannel out;
  private int onDisk;
  private @Nullable IOException trouble;

  private LogSpoolFile(Path path, LogIndexBuilder index) {
    this.path = path;
    this.index = index;
  }

  /** Creates a spool without lines. The file is created with the first lines. */
  static LogSpoolFile of(Path folder, String run, int epoch, long firstLine) {
    return new LogSpoolFile(
        folder.resolve(epoch + "-" + firstLine + ".log"),
        new LogIndexBuilder(run, epoch, firstLine));
  }

  /** Whether a file of this name was left by an earlier epoch. */
  static boolean isOfEarlierEpoch(Path file, int epoch) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    return name.matches() && Integer.parseInt(name.group(1)) < epoch;
  }

  /**
   * Opens a spool that another process left, up to its last complete line.
   *
   * @throws IOException when it cannot be read, or is not a spool
   */
  static LogSpoolFile found(Path file, String run) throws IOException {
    Matcher name = NAME.matcher(file.getFileName().toString());
    if (!name.matches()) {
      throw new IOException(file + " is not a log spool");
    }
    LogSpoolFile spool =
        new LogSpoolFile(
            file,
            new LogIndexBuilder(
                run, Integer.parseInt(name.group(1)), Long.parseLong(name.group(2))));
    byte[] bytes = Files.readAllBytes(file);
    try {
      spool.scan(bytes);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
    return spool;
  }

  private void scan(byte[] bytes) {
    LogRecordReader reader = new LogRecordReader(bytes, 0, bytes.length);
    for (LogRecord record = reader.next(); record != null; record = reader.next()) {
      while (index.attemptCount() < reader.attempts().size()) {
        index.define(reader.attempts().get(index.attemptCount()));
      }
      if (reader.frameBegan()) {
        index.frame(reader.frameAt(), record.micros());
      }
      index.line(record.attempt(), record.micros(), record.bytes().length, record.missing());
      onDisk = reader.position();
    }
  }

  LogIndexBuilder index() {
    return index;
  }

  int size() {
    return onDisk + writer.size();
  }

  boolean isFull() {
    return size() >= FULL_BYTES || index.attemptCount() >= LogIndex.MAX_ATTEMPTS;
  }

  /**
   * Returns why the disk does not accept lines although the memory limit is reached; null
   * otherwise.
   */
  @Nullable IOException refusal() {
    return writer.size() >= MOST_IN_MEMORY ? trouble : null;
  }

  /** Adds a line in memory. */
  void line(
      LogAttempt attempt, LogStream stream, long micros, boolean cut, byte[] text, int length) {
    int number = prepare(attempt, micros);
    writer.line(number, stream, micros, cut, text, length);
    index.line(number, micros, length, LogRecord.Missing.NOTHING);
  }

  /** Adds a notice in memory. */
  void notice(LogAttempt attempt, long micros, byte[] text, LogRecord.Missing missing) {
    int number = prepare(attempt, micros);
    writer.notice(number, micros, text, missing);
    index.line(number, micros, text.length, missing);
  }

  private int prepare(LogAttempt attempt, long micros) {
    if (index.isFrameDue(size())) {
      index.frame(size(), micros);
      writer.frame();
    }
    int number = index.indexOf(attempt);
    if (number < 0) {
      number = index.define(attempt);
      writer.define(number, attempt);
    }
    return number;
  }

  /** Writes the lines in memory to the disk, if it accepts them. */
  void flush() {
    if (writer.size() == 0) {
      return;
    }
    try {
      FileChannel channel = out;
      if (channel == null) {
        Files.createDirectories(path.getParent());
        channel =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        out = channel;
      }
      ByteBuffer rest = ByteBuffer.wrap(writer.buffer(), 0, writer.size());
      while (rest.hasRemaining()) {
        channel.write(rest, onDisk + (long) rest.position());
      }
      onDisk += writer.size();
      writer.clear();
      trouble = null;
    } catch (IOException e) {
      trouble = e;
    }
  }

  /** Returns all its records. */
  byte[] read() throws IOException {
    byte[] bytes = new byte[size()];
    if (onDisk > 0) {
      try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
        ByteBuffer rest = ByteBuffer.wrap(bytes, 0, onDisk);
        while (rest.hasRemaining()) {
          if (in.read(rest, rest.position()) < 0) {
            throw new IOException(path + " has less than " + onDisk + " bytes");
          }
        }
      }
    }
    System.arraycopy(writer.buffer(), 0, bytes, onDisk, writer.size());
    return bytes;
  }

  /** Ends writing; the spool can still be read. */
  void seal() {
    flush();
    close();
  }

  private void close() {
    FileChannel channel = out;
    out = null;
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        trouble = e;
      }
    }
  }

  /** Deletes the file, which is no longer needed. */
  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
