/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Replaces a text in a file. */
final class EditFileTool implements LoopTool {
  private final WorkspaceFiles files;
  private final ToolLimits limits;

  EditFileTool(WorkspaceFiles files, ToolLimits limits) {
    this.files = files;
    this.limits = limits;
  }

  @Override
  public ToolSpecification specification() {
    return ToolSpecification.builder()
        .name("edit_file")
        .description(
            "Replaces a text in a file of the workspace. The old text must be in the file exactly"
                + " once, with its spaces and line ends, unless replace_all is set.")
        .parameters(
            JsonObjectSchema.builder()
                .addStringProperty("path", "relative to the workspace")
                .addStringProperty("old_text", "what is replaced; not empty")
                .addStringProperty("new_text", "what replaces it; may be empty")
                .addBooleanProperty("replace_all", "whether every occurrence is replaced")
                .required("path", "old_text", "new_text")
                .build())
        .build();
  }

  @Override
  public boolean readOnly() {
    return false;
  }

  @Override
  public ToolOutput run(ToolArguments arguments) throws ToolFailureException, IOException {
    String path = arguments.word("path", Integer.MAX_VALUE);
    String before = arguments.text("old_text", limits.file());
    String after = arguments.text("new_text", limits.file());
    boolean all = arguments.flag("replace_all");
    if (before.isEmpty()) {
      throw new ToolFailureException("'old_text' is empty; create files with write_file.");
    }
    if (before.equals(after)) {
      throw new ToolFailureException("'old_text' and 'new_text' are the same.");
    }
    Path file = files.file(path);
    String content = content(path, file);
    int count = count(content, before);
    if (count == 0) {
      throw new ToolFailureException(
          "'%s' does not contain 'old_text'. Read the file and copy the text exactly."
              .formatted(path));
    }
    if (count > 1 && !all) {
      throw new ToolFailureException(
          "'%s' contains 'old_text' %d times. Add lines around it until it is unique, or set replace_all."
              .formatted(path, count));
    }
    Files.writeString(file, content.replace(before, after));
    String shown = files.shown(file);
    return ToolOutput.changed("replaced %d in %s".formatted(count, shown), shown);
  }

  private String content(String path, Path file) throws ToolFailureException, IOException {
    if (Files.size(file) > limits.file()) {
      throw new ToolFailureException(
          "'%s' has %d bytes; files up to %d bytes can be edited."
              .formatted(path, Files.size(file), limits.file()));
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
          .toString();
    } catch (CharacterCodingException e) {
      throw new ToolFailureException(
          "'%s' is not UTF-8, so that editing would damage it; use the shell.".formatted(path));
    }
  }

  private static int count(String content, String text) {
    int count = 0;
    for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length())) {
      count++;
    }
    return count;
  }
}
