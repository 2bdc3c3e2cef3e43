/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.baton.agent.loop.session.LoopSession;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The tools of a session, by name. Immutable. */
public final class LoopToolRegistry {
  /** The tools that change nothing but the session. */
  public static final List<String> SESSION_TOOLS =
      List.of("planning_setup_plan", "add_step", "update_step", "session_keep_value");

  private final Map<String, LoopTool> tools = new LinkedHashMap<>();

  /**
   * @param more tools of servers; of two with the same name the first counts
   * @throws IOException when the workspace is not there
   */
  public LoopToolRegistry(
      Path workspace, LoopSession session, ToolLimits limits, List<? extends LoopTool> more)
      throws IOException {
    WorkspaceFiles files = WorkspaceFiles.of(workspace);
    List<LoopTool> all =
        new ArrayList<>(
            List.of(
                new ShellTool(files.root(), limits),
                new ReadFileTool(files, limits),
                new WriteFileTool(files, limits),
                new EditFileTool(files, limits),
                new GrepTool(files, limits)));
    all.addAll(PlanningTools.all(session));
    all.addAll(more);
    all.forEach(tool -> tools.putIfAbsent(tool.specification().name(), tool));
  }

  private LoopToolRegistry(Map<String, LoopTool> tools) {
    this.tools.putAll(tools);
  }

  /**
   * Returns the named tools and those of the session.
   *
   * @param names empty for all tools; unknown ones are ignored
   */
  public LoopToolRegistry only(List<String> names) {
    if (names.isEmpty()) {
      return this;
    }
    Map<String, LoopTool> kept = new LinkedHashMap<>(tools);
    kept.keySet().removeIf(name -> !names.contains(name) && !SESSION_TOOLS.contains(name));
    return new LoopToolRegistry(kept);
  }

  public Optional<LoopTool> find(String name) {
    return Optional.ofNullable(tools.get(name));
  }

  public List<ToolSpecification> specifications() {
    return tools.values().stream().map(LoopTool::specification).toList();
  }

  /** The names, for messages. */
  public List<String> names() {
    return List.copyOf(tools.keySet());
  }
}
