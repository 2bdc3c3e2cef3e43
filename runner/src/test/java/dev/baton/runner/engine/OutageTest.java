/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import dev.baton.runner.testkit.TopicView;
import dev.baton.standalone.StackComponent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Records of a run on the other topics, and its behavior while Kafka is unavailable. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class OutageTest {
  private final RunnerTestEnvironment services;

  OutageTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  @Test
  void shouldSendHeartbeatsFromTheStartToTheEndAndLogLines() throws Exception {
    try (TestRunner runner = new TestRunner(services, Map.of())) {
      services.gateway.awaitHello(runner.id);
      TestRun run =
          new TestRun(
                  services,
                  "{name: beat, steps: [{id: s, shell: 'echo said; sleep 1.2; echo warned >&2'}]}",
                  "{}")
              .start(runner.id);

      List<JsonNode> beats =
          TopicView.await(
              services,
              TopicName.HEARTBEATS,
              run.id,
              beat -> beat.path("state").asText().equals("ended"));
      assertThat(beats).hasSizeGreaterThanOrEqualTo(3);
      assertThat(beats.getFirst().path("state").asText()).isEqualTo("running");
      assertThat(beats.get(2).path("step").asText()).isEqualTo("s");
      assertThat(beats.get(2).path("memory_bytes").asLong()).isPositive();
      assertThat(beats.getLast().path("state").asText()).isEqualTo("ended");

      List<JsonNode> lines =
          TopicView.await(
              services,
              TopicName.LOGS,
              run.id,
              line -> line.path("text").asText().equals("warned"));
      assertThat(lines.getFirst().path("text").asText()).isEqualTo("said");
      assertThat(lines.getFirst().path("step").asText()).isEqualTo("s");
      assertThat(lines.getLast().path("stream").asText()).isEqualTo("stderr");
    }
  }

  @Test
  void shouldWaitForKafkaAndGoOn() throws Exception {
    try (TestRunner runner = new TestRunner(services, Map.of())) {
      services.gateway.awaitHello(runner.id);
      TestRun run =
          new TestRun(
                  services,
                  """
                  name: outage
                  steps:
                    - {id: a, shell: 'echo a >> log; sleep 2'}
                    - {id: b, shell: 'echo b >> log; cat log', output: lines}
                  """,
                  "{}")
              .start(runner.id);
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);

      services.stack().kill(StackComponent.KAFKA);
      services.stack().restart(StackComponent.KAFKA);

      assertThat(run.awaitOutput().toString()).isEqualTo("[\"a\",\"b\"]");
      assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(2);
      assertThat(services.trace.state(run.id, 0).head().gap()).isNull();
    }
  }
}
