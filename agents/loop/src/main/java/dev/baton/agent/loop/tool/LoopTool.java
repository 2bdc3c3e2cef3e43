/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.langchain4j.agent.tool.ToolSpecification;
import java.io.IOException;

/** A tool that the model can call. Thread-safe. */
public interface LoopTool {
  /** Name, description and schema of the input. */
  ToolSpecification specification();

  /** Whether calls change nothing, so that they may run side by side. */
  boolean readOnly();

  /**
   * Runs a call, within the bounds of the tool.
   *
   * @throws ToolFailureException when the input is not allowed, or the call failed
   * @throws IOException when the call failed for a reason of the system
   */
  ToolOutput run(ToolArguments arguments)
      throws ToolFailureException, IOException, InterruptedException;

  /**
   * Runs a call of an answer; for tools that need to recognize a call that begins again.
   *
   * @param call id of the call
   */
  default ToolOutput run(String call, ToolArguments arguments)
      throws ToolFailureException, IOException, InterruptedException {
    return run(arguments);
  }
}
