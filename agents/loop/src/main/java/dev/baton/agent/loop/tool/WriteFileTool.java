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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a whole file. */
final class WriteFileTool implements LoopTool {
  private final WorkspaceFiles files;
  private final ToolLimits limits;

  WriteFileTool(WorkspaceFiles files, ToolLimits limits) {
    this.files = files;
    this.limits = limits;
  }

  @Override
  public ToolSpecification specification() {
    return ToolSpecification.builder()
        .name("write_file")
        .description(
            "Writes a file in the workspace whole; folders are created. Change an existing file"
                + " with edit_file.")
        .parameters(
            JsonObjectSchema.builder()
                .addStringProperty("path", "relative to the workspace")
                .addStringProperty("content", "the whole content")
                .required("path", "content")
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
    byte[] content = arguments.text("content", limits.file()).getBytes(StandardCharsets.UTF_8);
    Path file = files.resolve(path);
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new ToolFailureException(
          "'%s' exists and is not a regular file; choose another path.".formatted(path));
    }
    boolean existed = Files.exists(file);
    Path folder = file.getParent();
    if (folder == null) {
      throw new ToolFailureException("'%s' is not the path of a file.".formatted(path));
    }
    Files.createDirectories(folder);
    Files.write(file, content);
    String shown = files.shown(file);
    return ToolOutput.changed(
        "%s %s, %d bytes".formatted(existed ? "replaced" : "created", shown, content.length),
        shown);
  }
}
