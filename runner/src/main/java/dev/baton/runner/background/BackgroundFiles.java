/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.BackgroundOutcome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The files about background processes in the home of an agent: the list, which a resume reads; the
 * output of those that were started again; and the report for the agent. All but the report are
 * captured with the agent's state. Not thread-safe.
 */
public final class BackgroundFiles {
  private static final Path FOLDER = Path.of("baton-background");
  private static final String LIST = "processes.json";
  private static final String REPORT = "resumed.json";
  private static final String LOG = ".log";

  /** A log of this size loses its beginning at the next boundary. */
  static final long MAX_LOG = 8L << 20;

  /** What stays of it. */
  static final int LOG_TAIL = 1 << 20;

  private static final int MAX_LIST = 4 << 20;

  private final Path folder;

  public BackgroundFiles(Path home) {
    this.folder = home.resolve(FOLDER);
  }

  /**
   * Returns which files of the home are captured.
   *
   * @param others those of the agent and its servers
   */
  public static Predicate<Path> state(Predicate<Path> others) {
    return file ->
        file.startsWith(FOLDER)
            ? file.getNameCount() == 2 && (file.endsWith(LIST) || file.toString().endsWith(LOG))
            : others.test(file);
  }

  /**
   * Replaces the list.
   *
   * @throws IOException when it cannot be written
   */
  public void write(List<BackgroundProcess> processes) throws IOException {
    Path list = folder.resolve(LIST);
    if (processes.isEmpty()) {
      Files.deleteIfExists(list);
      return;
    }
    replace(list, Json.bytes(processes));
  }

  /**
   * Returns the list; empty where there is none.
   *
   * @throws IOException when it cannot be read or is damaged
   */
  public List<BackgroundProcess> read() throws IOException {
    Path list = folder.resolve(LIST);
    if (!Files.exists(list)) {
      return List.of();
    }
    if (Files.size(list) > MAX_LIST) {
      throw new IOException(
          "the list of background processes has %d bytes, at most %d are allowed"
              .formatted(Files.size(list), MAX_LIST));
    }
    List<BackgroundProcess> processes = new ArrayList<>();
    try {
      for (JsonNode each : Json.checkedTree(Files.readAllBytes(list))) {
        processes.add(Json.mapper().treeToValue(each, BackgroundProcess.class));
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("the list of background processes is damaged: " + e.getMessage(), e);
    }
    return processes;
  }

  /** Writes the report for the agent, and returns its path. */
  public Path report(List<BackgroundOutcome> outcomes) throws IOException {
    Path report = folder.resolve(REPORT);
    replace(report, Json.bytes(outcomes));
    return report;
  }

  /** Returns where a process that is started again writes its output: the same file each time. */
  public Path log(BackgroundProcess process) throws IOException {
    Files.createDirectories(folder);
    String name = process.command().split(" ", 2)[0];
    String program = name.substring(name.lastIndexOf('/') + 1).replaceAll("[^A-Za-z0-9_.-]", "_");
    String digest = Digest.of(Json.bytes(List.of(process.command(), process.folder())));
    return folder.resolve(
        "%s-%s%s"
            .formatted(
                program.substring(0, Math.min(program.length(), 40)),
                digest.substring(digest.indexOf(':') + 1).substring(0, 8),
                LOG));
  }

  /** Removes the beginning of logs that are too large; their processes append. */
  public void trimLogs() throws IOException {
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(folder, "*" + LOG)) {
      for (Path log : logs) {
        if (Files.size(log) > MAX_LOG) {
          trim(log);
        }
      }
    } catch (NoSuchFileException noneStarted) {
      return;
    }
  }

  private static void trim(Path log) throws IOException {
    byte[] tail = new byte[LOG_TAIL];
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(Math.max(0, file.length() - LOG_TAIL));
      file.readFully(tail);
      file.setLength(0);
    }
    byte[] note = "[the beginning was removed]\n".getBytes(StandardCharsets.UTF_8);
    Files.write(log, note, StandardOpenOption.APPEND);
    Files.write(log, tail, StandardOpenOption.APPEND);
  }

  private void replace(Path file, byte[] content) throws IOException {
    Files.createDirectories(folder);
    Path written = folder.resolve(file.getFileName() + ".new");
    Files.write(written, content);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
