/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a part of the work in a session of its own, whose final text is the result. */
public final class SubAgentTool implements LoopTool {
  public static final String NAME = "sub_agent";

  private static final int MAX_PROMPT = 100_000;
  private static final int MAX_TOOLS = 200;
  private static final int MAX_NAME = 200;

  private final SubAgentStarter starter;
  private final ToolLimits limits;

  public SubAgentTool(SubAgentStarter starter, ToolLimits limits) {
    this.starter = starter;
    this.limits = limits;
  }

  /** Starts sessions of sub-agents, and continues those of calls that begin again. */
  @FunctionalInterface
  public interface SubAgentStarter {
    /**
     * Runs a session to its end.
     *
     * @param call id of the call; empty where the endpoint gives none
     * @param tools names of those that it gets; empty for all
     * @return its final text
     * @throws ToolFailureException when it has none, or cannot be started
     */
    String run(String call, String prompt, List<String> tools)
        throws ToolFailureException, IOException, InterruptedException;
  }

  @Override
  public ToolSpecification specification() {
    return ToolSpecification.builder()
        .name(NAME)
        .description(
            "Lets another agent do a part of the work, in a conversation of its own and in the same"
                + " workspace, and returns its final text. It has nothing but the prompt. Use it"
                + " for work whose details you do not need afterwards, such as a search through"
                + " many files.")
        .parameters(
            JsonObjectSchema.builder()
                .addStringProperty(
                    "prompt", "its task: all that it needs, and what its final text must have")
                .addProperty(
                    "tools",
                    JsonArraySchema.builder()
                        .description("names of the tools that it gets, default all of yours")
                        .items(new JsonStringSchema())
                        .build())
                .required("prompt")
                .build())
        .build();
  }

  @Override
  public boolean readOnly() {
    return false;
  }

  @Override
  public ToolOutput run(ToolArguments arguments)
      throws ToolFailureException, IOException, InterruptedException {
    return run("", arguments);
  }

  @Override
  public ToolOutput run(String call, ToolArguments arguments)
      throws ToolFailureException, IOException, InterruptedException {
    String prompt = arguments.word("prompt", MAX_PROMPT);
    List<String> tools =
        arguments.isAbsent("tools") ? List.of() : arguments.words("tools", MAX_TOOLS, MAX_NAME);
    byte[] text = starter.run(call, prompt, tools).getBytes(StandardCharsets.UTF_8);
    OutputBuffer output = new OutputBuffer(limits.output());
    output.add(text, text.length);
    return ToolOutput.text(text.length == 0 ? "(no final text)" : output.text());
  }
}
