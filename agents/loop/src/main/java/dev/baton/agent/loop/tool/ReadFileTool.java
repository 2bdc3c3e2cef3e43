/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.baton.agent.process.OutputLineReader;
import dev.baton.protocol.json.TextShortener;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Reads lines of a file, or lists a folder. */
final class ReadFileTool implements LoopTool {
  private static final int LINES = 2_000;
  private static final int MAX_LINE = 2_000;
  private static final int MAX_ENTRIES = 500;

  private final WorkspaceFiles files;
  private final ToolLimits limits;

  ReadFileTool(WorkspaceFiles files, ToolLimits limits) {
    this.files = files;
    this.limits = limits;
  }

  @Override
  public ToolSpecification specification() {
    return ToolSpecification.builder()
        .name("read_file")
        .description(
            "Returns lines of a file in the workspace with their numbers, or the entries of a"
                + " folder. Bytes that are not UTF-8 are replaced.")
        .parameters(
            JsonObjectSchema.builder()
                .addStringProperty("path", "relative to the workspace")
                .addIntegerProperty("first_line", "from 1, default 1")
                .addIntegerProperty("lines", "1 to " + LINES + ", default " + LINES)
                .required("path")
                .build())
        .build();
  }

  @Override
  public boolean readOnly() {
    return true;
  }

  @Override
  public ToolOutput run(ToolArguments arguments) throws ToolFailureException, IOException {
    String path = arguments.word("path", Integer.MAX_VALUE);
    int first = arguments.number("first_line", 1, 1, Integer.MAX_VALUE);
    int most = arguments.number("lines", LINES, 1, LINES);
    Path resolved = files.resolve(path);
    return Files.isDirectory(resolved)
        ? ToolOutput.text(entries(resolved))
        : ToolOutput.text(lines(path, files.file(path), first, most));
  }

  private String entries(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.list(folder)) {
      all = found.sorted().toList();
    }
    StringBuilder text =
        new StringBuilder("folder %s, %d entries\n".formatted(files.shown(folder), all.size()));
    all.stream()
        .limit(MAX_ENTRIES)
        .forEach(
            entry ->
                text.append(entry.getFileName()).append(Files.isDirectory(entry) ? "/\n" : "\n"));
    if (all.size() > MAX_ENTRIES) {
      text.append("[… %d more entries …]\n".formatted(all.size() - MAX_ENTRIES));
    }
    return text.toString();
  }

  private String lines(String path, Path file, int first, int most) throws IOException {
    long size = Files.size(file);
    StringBuilder text = new StringBuilder();
    int number = 0;
    boolean cut = false;
    try (InputStream in = Files.newInputStream(file)) {
      OutputLineReader reader = new OutputLineReader(in, 4 * MAX_LINE);
      for (OutputLineReader.OutputLine line = reader.next(); line != null; line = reader.next()) {
        number++;
        if (number < first) {
          continue;
        }
        String shown = TextShortener.shorten(line.text(), MAX_LINE).replace('\0', '\ufffd');
        if (number >= first + (long) most || text.length() + shown.length() > limits.output()) {
          cut = true;
          break;
        }
        text.append(number).append('\t').append(shown);
        long dropped =
            line.dropped() + line.text().length() - Math.min(line.text().length(), MAX_LINE);
        if (dropped > 0) {
          text.append(" [… the line is longer …]");
        }
        text.append('\n');
      }
    }
    String head = "%s, %d bytes\n".formatted(path, size);
    if (text.isEmpty()) {
      return head + (size == 0 ? "[empty]" : "[it has %d lines only]".formatted(number));
    }
    return head
        + text
        + (cut ? "[… more from line %d; read it with first_line …]".formatted(number) : "");
  }
}
