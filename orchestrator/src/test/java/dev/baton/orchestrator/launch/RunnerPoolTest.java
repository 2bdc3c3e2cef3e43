/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.launcher.RunnerPoolTemplate;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.launch.RunnerPoolService.PoolResource;
import dev.baton.orchestrator.launch.RunnerPoolService.PoolState;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.UnkillableLauncherFactory;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests pools that resources describe, with Postgres and processes as runners. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
@EnabledOnOs(OS.LINUX)
class RunnerPoolTest {
  private static final Duration WITHIN = Duration.ofSeconds(60);

  @Inject OrchestratorTestEnvironment bed;
  @Inject RunnerPoolService service;
  @Inject RunnerPoolRepository repository;
  @Inject RunnerPoolSynchronizer synchronizer;
  @Inject LauncherRegistry registry;
  @Inject LaunchedRunnerWatcher watch;
  @Inject RunnerRegistry attachments;
  @Inject UnkillableLauncherFactory launchers;
  @Inject Pool pool;

  private final String name = "p" + UUID.randomUUID().toString().substring(0, 8);
  private final PoolResource resource = resource("runners");

  private PoolResource resource(String namespace) {
    return new PoolResource(UUID.randomUUID().toString(), namespace, name, "https://cluster/");
  }

  @AfterEach
  void remove() {
    launchers.pooled().refuse(null);
    service.remove(resource.uid());
    runners().forEach(runner -> launchers.pooled().kill(runner));
  }

  private Set<String> runners() {
    Set<String> found = new TreeSet<>();
    watch
        .watched()
        .forEach(
            (runner, known) -> {
              if (known.place().is("pooled", name)) {
                found.add(runner);
              }
            });
    return found;
  }

  private static void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  private RunnerPoolTemplate template() {
    return Objects.requireNonNull(launchers.pooled().templates().get(name));
  }

  private ScriptedRunner attach(String runner) throws Exception {
    ScriptedRunner attached = new ScriptedRunner(bed.port(), runner, "warm", 1, Map.of("of", name));
    attachments.expect(runner).get(20, TimeUnit.SECONDS);
    return attached;
  }

  private String create(String selector) {
    String workflow = "pool-" + UUID.randomUUID().toString().substring(0, 8);
    bed.api()
        .post(
            "/workflows",
            "application/yaml",
            "name: %s\nrunner: {isolation: isolated, %s}\nsteps: [{id: a, transform: '1'}]\n"
                .formatted(workflow, selector));
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"%s\"}".formatted(workflow));
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private JsonNode awaitReason(String run, String reason) {
    return bed.api()
        .await(run, shown -> shown.at("/queued/reason").asText().equals(reason))
        .get("queued");
  }

  private void cancel(String run) {
    bed.api().json("/runs/" + run + "/cancel", "{}");
  }

  @Test
  void shouldScaleItsIdleRunnersUpAndDown() throws Exception {
    service.put(resource, "{\"warm\":2}");
    await("two runners", () -> runners().size() == 2);
    assertThat(template().owner().uid()).isEqualTo(resource.uid());
    String first = runners().iterator().next();
    String second = List.copyOf(runners()).getLast();
    try (ScriptedRunner one = attach(first);
        ScriptedRunner two = attach(second)) {
      await("both are idle", () -> service.find(resource.uid()).orElseThrow().ready() == 2);

      service.put(resource, "{\"warm\":1}");

      await("one runner", () -> runners().size() == 1);
      await("its state", () -> service.find(resource.uid()).orElseThrow().warm() == 1);
      PoolState state = service.put(resource, "{\"warm\":1}");
      assertThat(state.wanted()).isOne();
      assertThat(state.selector()).isEqualTo("pool=" + name);
    }
  }

  @Test
  void shouldLetTheRunsOfARemovedPoolFinishAndShowThatOthersWait() throws Exception {
    service.put(
        resource, "{\"warm\":1,\"maxRunners\":1,\"labels\":{\"of\":\"%s\"}}".formatted(name));
    await("a runner", () -> runners().size() == 1);
    String runner = runners().iterator().next();
    try (ScriptedRunner warm = attach(runner)) {
      String working = create("labels: {of: %s}".formatted(name));
      assertThat(warm.awaitAssign(working).getEpoch()).isEqualTo(1);
      String waiting = create("pool: " + name);
      awaitReason(waiting, "pool_limit");

      service.remove(resource.uid());

      assertThat(awaitReason(waiting, "pool_missing").get("detail").asText())
          .contains("pool: " + name)
          .contains("apply its RunnerPool");
      assertThat(registry.places()).noneMatch(place -> place.pool().equals(name));
      assertThat(runners()).as("it works").containsExactly(runner);
      assertThat(bed.api().get("/runs/" + working).json().get("epoch").asInt()).isOne();
      assertThat(launchers.pooled().templates()).doesNotContainKey(name);
      cancel(working);
      launchers.pooled().kill(runner);
      await("its end", () -> runners().isEmpty());

      service.put(resource, "{}");

      bed.api().await(waiting, shown -> shown.at("/runner/id").asText().equals(waiting + "-1"));
      cancel(waiting);
    }
  }

  @Test
  void shouldStopTheIdleRunnersOfARemovedPool() throws Exception {
    service.put(resource, "{\"warm\":1}");
    await("a runner", () -> runners().size() == 1);
    try (ScriptedRunner warm = attach(runners().iterator().next())) {
      service.remove(resource.uid());

      await("no runner", () -> runners().isEmpty());
      assertThat(service.find(resource.uid())).isEmpty();
      assertThat(service.owned(List.of("runners")))
          .extracting(PoolResource::uid)
          .doesNotContain(resource.uid());
    }
  }

  @Test
  void shouldShowWhyNoRunnerStartsAndStartItWhenThereIsRoom() {
    launchers.pooled().refuse("exceeded quota: pods");
    service.put(resource, "{\"warm\":1}");

    await(
        "the refusal",
        () -> "launcher_no_room".equals(service.find(resource.uid()).orElseThrow().refusal()));
    assertThat(service.find(resource.uid()).orElseThrow().detail())
        .isEqualTo("exceeded quota: pods");
    launchers.pooled().refuse(null);

    await("a runner", () -> runners().size() == 1);
    await("no refusal", () -> service.find(resource.uid()).orElseThrow().refusal() == null);
  }

  @Test
  void shouldForgetTheRefusalOfAReplicaThatIsDead() {
    service.put(resource, "{}");
    pool.preparedQuery(
            "UPDATE orchestrator.runner_pool SET refusal_reason = 'launcher_no_room', refusal_detail = 'q', refused_by = 'dead' WHERE uid = $1")
        .execute(Tuple.of(resource.uid()))
        .await()
        .atMost(WITHIN);

    await("no refusal", () -> service.find(resource.uid()).orElseThrow().refusal() == null);
  }

  @Test
  void shouldRejectWhatIsNotPossibleAndKeepTheEarlierDefinition() {
    service.put(resource, "{\"warm\":0,\"image\":\"a:1\"}");

    assertThatThrownBy(() -> service.put(resource, "{\"warm\":-1}"))
        .hasMessageContaining("one error");
    assertThatThrownBy(() -> service.put(resource, "{\"launcher\":\"tiny\"}"))
        .hasMessageContaining("spec.launcher is 'tiny'; allowed: pooled");
    assertThatThrownBy(() -> service.put(resource("elsewhere"), "{}"))
        .hasMessageContaining("create the RunnerPool in that namespace");
    assertThatThrownBy(
            () ->
                service.put(
                    new PoolResource(resource.uid(), "runners", name, "https://other/"), "{}"))
        .hasMessageContaining("https://other/");
    assertThatThrownBy(
            () ->
                service.put(
                    new PoolResource(resource.uid(), "runners", "fixed", "https://cluster/"), "{}"))
        .hasMessageContaining("remove baton.launchers.pooled.pools.fixed");

    await("the template", () -> launchers.pooled().templates().containsKey(name));
    assertThat(template().image()).isEqualTo("a:1");
    assertThat(service.find(resource.uid())).isPresent();
  }

  /** What another replica, or an earlier process, has stored. */
  @Test
  void shouldKnowPoolsThatOnlyTheTableHas() {
    assertThat(repository.put("pooled", name, resource.uid(), "runners", "{\"order\":3}"))
        .contains(true);
    assertThat(repository.put("pooled", name, resource.uid(), "runners", "{\"order\":3}"))
        .contains(false);
    assertThat(repository.put("pooled", name, "other", "elsewhere", "{}"))
        .as("of another namespace")
        .isEmpty();

    synchronizer.load();

    assertThat(registry.places()).anyMatch(place -> place.is("pooled", name));
    assertThat(repository.put("pooled", name, "again", "runners", "{}"))
        .as("deleted and created again")
        .contains(true);
    assertThat(repository.find(resource.uid())).isEmpty();
    assertThat(repository.remove("again")).isTrue();
    assertThat(repository.remove("again")).isFalse();
  }

  @Test
  void shouldForgetARemovedPoolWhenNoRunnerIsLeft() throws Exception {
    repository.put("pooled", name, resource.uid(), "runners", "{}");
    repository.remove(resource.uid());

    repository.clean();

    assertThat(repository.read().pools())
        .as("its runners may just be starting")
        .anyMatch(entry -> entry.name().equals(name) && entry.removed());
  }
}
