/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.mcp.McpClient;
import dev.baton.agent.mcp.McpException;
import dev.baton.protocol.json.TextShortener;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A tool of an MCP server, named {@code mcp__SERVER__TOOL}. */
public final class McpTool implements LoopTool {
  /** Characters that all models allow in a name. */
  private static final int MAX_NAME = 64;

  private static final int MAX_DESCRIPTION = 8_000;

  private final McpClient.Tool tool;
  private final McpClient client;
  private final ToolLimits limits;
  private final ToolSpecification specification;

  public McpTool(String server, McpClient.Tool tool, McpClient client, ToolLimits limits) {
    this.tool = tool;
    this.client = client;
    this.limits = limits;
    this.specification =
        ToolSpecification.builder()
            .name(name(server, tool.name()))
            .description(TextShortener.shorten(tool.description(), MAX_DESCRIPTION))
            .parameters(parameters(tool.schema()))
            .build();
  }

  private static String name(String server, String tool) {
    String name = "mcp__" + server + "__" + tool.replaceAll("[^A-Za-z0-9_-]", "_");
    return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
  }

  /** Passes the schemas of the arguments on as they are. */
  private static JsonObjectSchema parameters(JsonNode schema) {
    JsonObjectSchema.Builder parameters = JsonObjectSchema.builder();
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      parameters.addProperty(property.getKey(), JsonRawSchema.from(property.getValue().toString()));
    }
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    parameters.required(required);
    Map<String, dev.langchain4j.model.chat.request.json.JsonSchemaElement> definitions =
        new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> definition : schema.path("$defs").properties()) {
      definitions.put(definition.getKey(), JsonRawSchema.from(definition.getValue().toString()));
    }
    if (!definitions.isEmpty()) {
      parameters.definitions(definitions);
    }
    return parameters.build();
  }

  @Override
  public ToolSpecification specification() {
    return specification;
  }

  /** As the server declares: calls that change nothing may run side by side. */
  @Override
  public boolean readOnly() {
    return tool.readOnly();
  }

  @Override
  public ToolOutput run(ToolArguments arguments) throws ToolFailureException, InterruptedException {
    JsonNode result;
    try {
      result = client.call(tool.name(), arguments.json());
    } catch (McpException e) {
      throw new ToolFailureException(String.valueOf(e.getMessage()));
    }
    OutputBuffer output = new OutputBuffer(limits.output());
    byte[] text = text(result).getBytes(StandardCharsets.UTF_8);
    output.add(text, text.length);
    return new ToolOutput(
        output.text(), result.path("isError").asBoolean(false), List.of(), List.of());
  }

  private static String text(JsonNode result) {
    StringBuilder text = new StringBuilder();
    for (JsonNode block : result.path("content")) {
      if (!text.isEmpty()) {
        text.append('\n');
      }
      switch (block.path("type").asText()) {
        case "text" -> text.append(block.path("text").asText());
        case "resource" ->
            text.append(block.path("resource").path("text").asText("[binary resource]"));
        default -> text.append("[content of type ").append(block.path("type").asText()).append(']');
      }
    }
    if (text.isEmpty() && result.has("structuredContent")) {
      text.append(result.path("structuredContent"));
    }
    return text.isEmpty() ? "(no output)" : text.toString();
  }
}
