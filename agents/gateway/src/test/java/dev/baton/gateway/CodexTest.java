/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.gateway.key.AgentFamily;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real Codex before the gateway. Skipped unless {@code -Dbaton.agents=FOLDER} names a folder in
 * which npm has installed it.
 */
class CodexTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static Path program() throws IOException {
    Path modules = Path.of(System.getProperty("baton.agents", "/none")).resolve("node_modules");
    assumeTrue(Files.isDirectory(modules), "no agents are installed in -Dbaton.agents");
    try (Stream<Path> files = Files.walk(modules, 10)) {
      List<Path> found =
          files
              .filter(file -> file.endsWith("x86_64-unknown-linux-musl/bin/codex"))
              .filter(Files::isExecutable)
              .toList();
      assumeTrue(!found.isEmpty(), "Codex is not installed in -Dbaton.agents");
      return found.getFirst();
    }
  }

  @Test
  void shouldAnswerThroughASilentStart() throws Exception {
    Path program = program();
    ScriptedReply slow =
        ScriptedReply.empty()
            .with(new ReplyPart.Thinking("let me think"))
            .with(new ReplyPart.Text("hello from the script"))
            .after(Duration.ofSeconds(2));
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(ScriptedReply.status(529), slow),
            config ->
                config.withAgentTimes(
                    Duration.ofSeconds(60), Duration.ofMillis(300), Duration.ofSeconds(5)))) {
      GatewaySession session = rig.open(rig.gateway, List.of(), AgentFamily.CODEX);
      Path home = Files.createDirectories(folder.resolve("home"));
      Files.writeString(
          home.resolve("config.toml"),
          """
          model = "gpt-5"
          model_provider = "baton"
          check_for_update_on_startup = false
          sandbox_mode = "danger-full-access"
          approval_policy = "never"
          [analytics]
          enabled = false
          [model_providers.baton]
          name = "baton"
          base_url = "%s/v1"
          wire_api = "responses"
          env_key = "BATON_MODEL_TOKEN"
          supports_websockets = false
          """
              .formatted(rig.gateway.baseUrl()));
      ProcessBuilder builder =
          new ProcessBuilder(
                  program.toString(), "exec", "--json", "--skip-git-repo-check", "say hello")
              .directory(Files.createDirectories(folder.resolve("work")).toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("codex.log").toFile());
      Map<String, String> environment = builder.environment();
      environment.put("CODEX_HOME", home.toString());
      environment.put("BATON_MODEL_TOKEN", session.token());
      Process agent = builder.start();
      agent.getOutputStream().close();
      boolean ended = agent.waitFor(60, TimeUnit.SECONDS);
      agent.destroyForcibly().waitFor();
      String log = Files.readString(folder.resolve("codex.log"));
      System.out.println("codex: " + log.lines().toList());
      System.out.println("codex: " + rig.seen() + " " + rig.journal.answers().size());

      assertThat(ended).isTrue();
      assertThat(log).contains("hello from the script").contains("turn.completed");
      assertThat(rig.endpoint.requests()).hasSize(2);
      assertThat(rig.journal.answers()).hasSize(1);
    }
  }
}
