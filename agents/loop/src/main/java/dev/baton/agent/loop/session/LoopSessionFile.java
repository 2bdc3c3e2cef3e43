/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.RequiredFieldChecker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The file of a session: a row in each line, appended and forced to disk one by one. A line is
 * {@code {"n":1,"crc":"0123abcd","row":{…}}} with the number of the row from 1 and the CRC-32C of
 * the row's bytes, so that a torn, missing or changed row is found.
 *
 * <p>Only appended to: each of many captures stores the new rows alone. Not thread-safe.
 */
public final class LoopSessionFile implements AutoCloseable {
  /** The format of the rows; a file of another one is refused. */
  public static final int FORMAT = 1;

  private static final Pattern LINE =
      Pattern.compile("\\{\"n\":(\\d{1,9}),\"crc\":\"([0-9a-f]{8})\",\"row\":");

  private final Path path;
  private final FileChannel channel;
  private int rows;
  private long length;

  private LoopSessionFile(Path path, FileChannel channel, int rows) throws IOException {
    this.path = path;
    this.channel = channel;
    this.rows = rows;
    this.length = channel.size();
  }

  /**
   * Creates the file, readable by its owner only.
   *
   * @throws IOException also when it exists
   */
  public static LoopSessionFile create(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return new LoopSessionFile(path, channel, 0);
  }

  /**
   * Opens a file to continue it.
   *
   * @param rows that {@link #read} has returned
   */
  public static LoopSessionFile open(Path path, List<SessionRow> rows) throws IOException {
    return new LoopSessionFile(
        path, FileChannel.open(path, StandardOpenOption.APPEND), rows.size());
  }

  /**
   * Appends a row. When this returns, the row is on disk.
   *
   * @throws IOException when it cannot be written whole, or another process has changed the file:
   *     the session must end
   */
  public void append(SessionRow row) throws IOException {
    byte[] json = Json.mapper().writerFor(SessionRow.class).writeValueAsBytes(row);
    byte[] head =
        "{\"n\":%d,\"crc\":\"%s\",\"row\":"
            .formatted(rows + 1, crc(json))
            .getBytes(StandardCharsets.US_ASCII);
    ByteBuffer line = ByteBuffer.allocate(head.length + json.length + 2);
    line.put(head).put(json).put((byte) '}').put((byte) '\n').flip();
    long wanted = length + line.remaining();
    while (line.hasRemaining()) {
      channel.write(line);
    }
    channel.force(true);
    if (channel.size() != wanted) {
      throw new IOException(
          "%s has %d bytes instead of %d: another process writes it"
              .formatted(path.getFileName(), channel.size(), wanted));
    }
    length = wanted;
    rows++;
  }

  /**
   * Reads all rows.
   *
   * @param id of the session that the file must have
   * @throws SessionFileException when the file is missing, torn, damaged, of another format, or of
   *     another session
   */
  public static List<SessionRow> read(Path path, String id)
      throws SessionFileException, IOException {
    if (!Files.isRegularFile(path)) {
      throw new SessionFileException("its file " + path.getFileName() + " is missing");
    }
    if (!endsWithLine(path)) {
      throw new SessionFileException("its file " + path.getFileName() + " is torn");
    }
    List<SessionRow> rows = new ArrayList<>();
    try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        SessionRow row = row(path, line, rows.size() + 1);
        if (rows.isEmpty()) {
          checkOpening(path, row, id);
        } else if (row instanceof SessionRow.Opened) {
          throw damaged(path, rows.size() + 1, "a second opening");
        }
        rows.add(row);
      }
    } catch (CharacterCodingException e) {
      throw damaged(path, rows.size() + 1, "not UTF-8");
    }
    return rows;
  }

  private static boolean endsWithLine(Path path) throws IOException {
    try (RandomAccessFile content = new RandomAccessFile(path.toFile(), "r")) {
      if (content.length() == 0) {
        return false;
      }
      content.seek(content.length() - 1);
      return content.read() == '\n';
    }
  }

  private static SessionRow row(Path path, String line, int number) throws SessionFileException {
    Matcher head = LINE.matcher(line);
    if (!head.lookingAt() || !line.endsWith("}")) {
      throw damaged(path, number, "not a row");
    }
    String json = line.substring(head.end(), line.length() - 1);
    if (Integer.parseInt(head.group(1)) != number) {
      throw damaged(path, number, "row " + head.group(1) + " is in its place");
    }
    if (!head.group(2).equals(crc(json.getBytes(StandardCharsets.UTF_8)))) {
      throw damaged(path, number, "its checksum differs");
    }
    SessionRow row;
    try {
      row = Json.mapper().readValue(json, SessionRow.class);
    } catch (JsonProcessingException e) {
      throw damaged(path, number, "a row of an unknown kind");
    }
    String missing = row == null ? "type" : RequiredFieldChecker.missing((Record) row);
    if (missing != null) {
      throw damaged(path, number, "it has no " + missing);
    }
    return row;
  }

  private static void checkOpening(Path path, SessionRow row, String id)
      throws SessionFileException {
    if (!(row instanceof SessionRow.Opened opened)) {
      throw damaged(path, 1, "the opening is missing");
    }
    if (opened.format() != FORMAT) {
      throw new SessionFileException(
          "its file %s has format %d, this program needs %d"
              .formatted(path.getFileName(), opened.format(), FORMAT));
    }
    if (!opened.id().equals(id)) {
      throw new SessionFileException(
          "its file %s is of session %s".formatted(path.getFileName(), opened.id()));
    }
  }

  private static SessionFileException damaged(Path path, int number, String what) {
    return new SessionFileException(
        "line %d of its file %s is damaged: %s".formatted(number, path.getFileName(), what));
  }

  private static String crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return "%08x".formatted(crc.getValue());
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
