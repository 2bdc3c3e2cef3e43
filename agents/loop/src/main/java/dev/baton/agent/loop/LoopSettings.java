/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.InterruptedCallRules;
import dev.baton.agent.process.PromptImages.PromptImage;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the driver sends to the loop as the first line of its input. The token is in no argument and
 * no environment, so that no tool has it.
 *
 * @param session id
 * @param resumed whether the session's file is there
 * @param prompt of a new session, or the next message of a resumed one; null to continue within the
 *     turn
 * @param home folder with the session's file
 * @param gateway URL without {@code /v1}
 * @param model as {@link dev.baton.agent.loop.model.LoopModelName#parse} reads it
 * @param system rules of the task; empty for none
 * @param allow see {@link dev.baton.agent.ToolRules}
 * @param interrupted the calls whose begin the driver decides on
 * @param outputSchema JSON Schema of the final text; empty for none
 * @param mcp servers whose tools the model gets
 * @param images that the prompt begins with
 * @param window of the model, in tokens
 * @param compactAt share of the window, above 0 and below 1, from which older messages are replaced
 *     by a summary
 */
record LoopSettings(
    String session,
    boolean resumed,
    @Nullable String prompt,
    String home,
    String workspace,
    URI gateway,
    String token,
    String model,
    String system,
    List<String> allow,
    List<String> ask,
    List<String> deny,
    InterruptedCallRules interrupted,
    String outputSchema,
    List<LoopMcpServer> mcp,
    List<PromptImage> images,
    long window,
    double compactAt) {
  /** A server at a URL. */
  record LoopMcpServer(String name, URI url, Map<String, String> headers) {}

  LoopSettings {
    allow = List.copyOf(allow);
    ask = List.copyOf(ask);
    deny = List.copyOf(deny);
    mcp = List.copyOf(mcp);
    images = List.copyOf(images);
  }

  /** The settings of a session that this one starts: it has another prompt, and no schema. */
  LoopSettings ofChild(String id, String text, String rules) {
    return new LoopSettings(
        id,
        false,
        text,
        home,
        workspace,
        gateway,
        token,
        model,
        rules,
        allow,
        ask,
        deny,
        interrupted,
        "",
        mcp,
        List.of(),
        window,
        compactAt);
  }

  @Override
  public String toString() {
    return "session " + session + " with " + model;
  }
}
