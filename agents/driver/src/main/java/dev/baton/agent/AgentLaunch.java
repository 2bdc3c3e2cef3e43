/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything with which an agent is started.
 *
 * @param step name of the step
 * @param program as {@link AgentDriver#check} returned it
 * @param model how the agent reaches its model
 * @param start how the session begins
 * @param task settings of the session
 * @param environment of the agent and its tools. The driver removes variables that steer agents
 *     (keys, addresses and settings of models and agents) and adds its own; marks of the runner
 *     ({@code BATON_…}) stay
 */
public record AgentLaunch(
    String step,
    CheckedProgram program,
    AgentFolders folders,
    ModelAccess model,
    AgentStart start,
    AgentTask task,
    Map<String, String> environment) {
  public AgentLaunch {
    environment = Map.copyOf(environment);
  }

  /**
   * How an agent reaches its model: by the gateway, or by its own login.
   *
   * @param baseUrl of the gateway, without {@code /v1}; empty with an own login
   * @param token of the gateway's session for this process; empty with an own login
   * @param model name of the model; empty for the agent's default
   * @param login variables with the agent's own login; null with the gateway
   */
  public record ModelAccess(
      URI baseUrl, String token, String model, @Nullable Map<String, String> login) {
    public ModelAccess {
      login = login == null ? null : Map.copyOf(login);
    }

    /** The access by the gateway. */
    public ModelAccess(URI baseUrl, String token, String model) {
      this(baseUrl, token, model, null);
    }

    /** Returns the access by a login of the agent's own. */
    public static ModelAccess ownLogin(Map<String, String> login, String model) {
      return new ModelAccess(URI.create(""), "", model, login);
    }

    /** Whether the agent does not use the gateway: it reports answers and rests then. */
    public boolean isOwnLogin() {
      return login != null;
    }

    @Override
    public String toString() {
      return model + (login == null ? " at " + baseUrl : " by its own login");
    }
  }

  /** The same launch, which begins in another way: for the fallback after a refused session. */
  public AgentLaunch withStart(AgentStart other) {
    return new AgentLaunch(step, program, folders, model, other, task, environment);
  }

  /** The same launch with images that its prompt begins with. */
  public AgentLaunch withImages(List<java.nio.file.Path> images) {
    return new AgentLaunch(
        step, program, folders, model, start, task.withImages(images), environment);
  }

  /** The same launch with another token: each process needs a session of the gateway. */
  public AgentLaunch withModel(ModelAccess other) {
    return new AgentLaunch(step, program, folders, other, start, task, environment);
  }

  /** The same launch with one more variable in the environment. */
  public AgentLaunch withVariable(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(environment);
    more.put(name, value);
    return new AgentLaunch(step, program, folders, model, start, task, more);
  }

  /** The same launch with these MCP servers: each process has a proxy of its own. */
  public AgentLaunch withMcp(List<McpAccess> servers) {
    return new AgentLaunch(
        step, program, folders, model, start, task.withMcp(servers), environment);
  }

  /**
   * Settings of a session.
   *
   * @param system added to the agent's own system prompt; empty for nothing
   * @param tools rules for tools
   * @param mcp servers that the agent may use; nothing else than these
   * @param images files with which a prompt begins; absolute paths, as the runner sees them, of
   *     PNG, JPEG, GIF or WebP; none where no prompt is sent
   * @param outputSchema JSON Schema of the final text; empty for none. The runner checks the
   *     output: agents without schemas get it with the prompt
   * @param context when the built-in loop summarizes its conversation; other agents decide on it by
   *     themselves
   * @param interactive whether people see the agent on a screen and type to it: the starter gives
   *     the program a terminal
   */
  public record AgentTask(
      String system,
      ToolRules tools,
      List<McpAccess> mcp,
      List<java.nio.file.Path> images,
      String outputSchema,
      ContextLimit context,
      boolean interactive) {
    public AgentTask {
      mcp = List.copyOf(mcp);
      images = List.copyOf(images);
    }

    /** A task without a screen. */
    public AgentTask(
        String system,
        ToolRules tools,
        List<McpAccess> mcp,
        List<java.nio.file.Path> images,
        String outputSchema,
        ContextLimit context) {
      this(system, tools, mcp, images, outputSchema, context, false);
    }

    /** A task with the standard limit of the conversation. */
    public AgentTask(
        String system,
        ToolRules tools,
        List<McpAccess> mcp,
        List<java.nio.file.Path> images,
        String outputSchema) {
      this(system, tools, mcp, images, outputSchema, ContextLimit.STANDARD);
    }

    /** The same task with another limit of the conversation. */
    public AgentTask withContext(ContextLimit limit) {
      return new AgentTask(system, tools, mcp, images, outputSchema, limit, interactive);
    }

    /** The same task with images that its prompt begins with. */
    public AgentTask withImages(List<java.nio.file.Path> files) {
      return new AgentTask(system, tools, mcp, files, outputSchema, context, interactive);
    }

    AgentTask withMcp(List<McpAccess> servers) {
      return new AgentTask(system, tools, servers, images, outputSchema, context, interactive);
    }

    /** No system prompt, no rules, no servers. */
    public static final AgentTask PLAIN =
        new AgentTask("", ToolRules.ALL, List.of(), List.of(), "");
  }

  /**
   * The length of conversations.
   *
   * @param window of the model, in tokens
   * @param compactAt share of the window, above 0 and below 1, from which a summary replaces older
   *     messages
   */
  public record ContextLimit(long window, double compactAt) {
    /** For models whose window is unknown. */
    public static final long WINDOW = 128_000;

    public static final double COMPACT_AT = 0.8;

    public static final ContextLimit STANDARD = new ContextLimit(WINDOW, COMPACT_AT);

    public ContextLimit {
      if (window < 1 || !(compactAt > 0 && compactAt < 1)) {
        throw new IllegalArgumentException(
            "a window of %d tokens, a share of %s; allowed: 1 and more, above 0 and below 1"
                .formatted(window, compactAt));
      }
    }
  }
}
