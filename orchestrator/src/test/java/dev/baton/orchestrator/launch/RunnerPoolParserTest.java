/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunnerPoolParserTest {
  private static RunnerPoolDefinition parse(String name, String json) {
    return RunnerPoolParser.parse(
        name, json, RunnerPoolSynchronizer.owner(name, "uid-1"), "kubernetes");
  }

  private static List<FieldProblem> errors(String name, String json) {
    ProblemException failure =
        catchThrowableOfType(ProblemException.class, () -> parse(name, json));
    assertThat(failure).as(json).isNotNull();
    return java.util.Objects.requireNonNull(failure.document("").errors());
  }

  @Test
  void shouldReadAllFields() {
    RunnerPoolDefinition pool =
        parse(
            "gpu",
            """
            {"launcher":"other","warm":3,"maxRunners":10,"order":7,"labels":{"gpu":"true"},"image":"r:1","memory":"8g",
             "requestedMemory":"1g","cpus":2,"requestedCpus":0.5,"workSize":"4g","tmpSize":"64m","grace":"15s",
             "nodeSelector":{"cloud.example.com/gpu":"a100"},"tolerations":["gpu:NoSchedule"],"priorityClass":"low"}""");

    assertThat(pool.launcher()).isEqualTo("other");
    assertThat(pool.warm()).isEqualTo(3);
    assertThat(pool.maxRunners()).isEqualTo(OptionalInt.of(10));
    assertThat(pool.order()).isEqualTo(7);
    assertThat(pool.labels()).isEqualTo(Map.of("gpu", "true"));
    assertThat(pool.template().image()).isEqualTo("r:1");
    assertThat(pool.template().memoryBytes()).isEqualTo(8L << 30);
    assertThat(pool.template().requestedCpus()).isEqualTo(0.5);
    assertThat(pool.template().grace()).isEqualTo(Duration.ofSeconds(15));
    assertThat(pool.template().tolerations()).containsExactly("gpu:NoSchedule");
    assertThat(pool.template().owner().uid()).isEqualTo("uid-1");
  }

  @Test
  void shouldLeaveToTheLauncherWhatAnEmptySpecDoesNotState() {
    RunnerPoolDefinition pool = parse("gpu", "{}");

    assertThat(pool.launcher()).isEqualTo("kubernetes");
    assertThat(pool.warm()).isZero();
    assertThat(pool.maxRunners()).isEmpty();
    assertThat(pool.order()).isEqualTo(100);
    assertThat(pool.template().image()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"warm\":-1} | spec.warm is -1 | 0 to 64",
        "{\"warm\":2,\"maxRunners\":1} | spec.warm is 2, more than spec.maxRunners | 0 to 1",
        "{\"warm\":1.5} | spec.warm is 1.5 | 0 to 64",
        "{\"warm\":9999999999} | spec.warm is 9999999999 | 0 to 64",
        "{\"maxRunners\":\"1\"} | spec.maxRunners is \"1\" | 0 to 100000",
        "{\"image\":\"\"} | spec.image is \"\" | [A-Za-z0-9]",
        "{\"imgae\":\"a\"} | spec.imgae is unknown | image",
        "{\"memory\":\"8Gi\"} | spec.memory is \"8Gi\" | [kmg]",
        "{\"cpus\":0} | spec.cpus is 0 | 0.01 to 1024",
        "{\"grace\":\"2h\"} | spec.grace is \"2h\" | s",
        "{\"grace\":\"9999s\"} | spec.grace '9999s' is too long | 3600s",
        "{\"labels\":[]} | spec.labels is not a map | KEY: VALUE",
        "{\"nodeSelector\":{\"a\":1}} | spec.nodeSelector.a is 1 | [A-Za-z0-9]",
        "{\"tolerations\":[\"a b\"]} | spec.tolerations has \"a b\" | NoSchedule",
      })
  void shouldStateWhatIsWrongAndWhatIsAllowed(String json, String message, String allowed) {
    assertThat(errors("gpu", json))
        .singleElement()
        .satisfies(
            error -> {
              assertThat(error.message()).contains(message);
              assertThat(error.allowed()).contains(allowed);
            });
  }

  @Test
  void shouldCollectAllErrorsAndRefuseNamesThatNoWorkflowCanSelect() {
    assertThat(errors("gpu.big", "{\"warm\":-1,\"x\":1}"))
        .extracting(FieldProblem::path)
        .containsExactlyInAnyOrder("metadata.name", "spec.warm", "spec.x");
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 3", "5, 3", "64, 7"})
  void shouldDivideTheIdleRunnersBetweenTheReplicas(int warm, int replicas) {
    RunnerPoolDefinition pool = parse("gpu", "{\"warm\":" + warm + "}");

    int[] shares = IntStream.range(0, replicas).map(index -> pool.share(replicas, index)).toArray();

    assertThat(IntStream.of(shares).sum()).isEqualTo(warm);
    assertThat(IntStream.of(shares).max().orElseThrow() - IntStream.of(shares).min().orElseThrow())
        .isLessThanOrEqualTo(1);
  }
}
