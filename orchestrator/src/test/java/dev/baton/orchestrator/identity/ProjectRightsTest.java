/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.identity.AccessRole;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares the answers to generated requests with a table of rights. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ProjectRightsTest {
  private static final int REQUESTS = 1_000;
  private static final List<String> PROJECTS = List.of("payments", "orders", "default");

  /** Operations that change nothing that others depend on. */
  private record Operation(String method, String path, AccessRole least, String body) {}

  private static final List<Operation> OPERATIONS =
      List.of(
          new Operation("GET", "/runs/{id}", AccessRole.VIEWER, ""),
          new Operation("GET", "/runs/{id}/input", AccessRole.VIEWER, ""),
          new Operation("GET", "/runs/{id}/epoch", AccessRole.VIEWER, ""),
          new Operation("GET", "/runs/{id}/lineage", AccessRole.VIEWER, ""),
          new Operation("GET", "/runs/{id}/verification", AccessRole.VIEWER, ""),
          new Operation("GET", "/runs/{id}/checkpoints", AccessRole.VIEWER, ""),
          new Operation("GET", "/approvals/{id}", AccessRole.VIEWER, ""),
          new Operation("GET", "/checkpoints/{id}", AccessRole.VIEWER, ""),
          new Operation("PATCH", "/runs/{id}/labels", AccessRole.OPERATOR, "{\"a\": \"b\"}"),
          new Operation("POST", "/runs/{id}/resume", AccessRole.OPERATOR, "{}"),
          new Operation("PUT", "/checkpoints/{id}/pin", AccessRole.OPERATOR, "{}"),
          new Operation("DELETE", "/checkpoints/{id}/pin", AccessRole.OPERATOR, ""),
          new Operation("POST", "/checkpoints/{id}/verify", AccessRole.OPERATOR, "{}"),
          // An active run cannot be deleted.
          new Operation("DELETE", "/runs/{id}", AccessRole.ADMIN, ""));

  private record Key(Map<String, AccessRole> roles, String text) {
    /** The table: the role of the project's entry or of '*', if it is high enough. */
    boolean may(AccessRole least, String project) {
      return roles.entrySet().stream()
          .anyMatch(
              entry ->
                  (entry.getKey().equals("*") || entry.getKey().equals(project))
                      && entry.getValue().compareTo(least) >= 0);
    }

    boolean maySomewhere(AccessRole least) {
      return roles.values().stream().anyMatch(role -> role.compareTo(least) >= 0);
    }
  }

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  private List<Key> keys(Random random) {
    List<Key> keys = new ArrayList<>();
    while (keys.size() < 12) {
      Map<String, AccessRole> roles = new TreeMap<>();
      for (String project : PROJECTS) {
        if (random.nextInt(3) > 0) {
          roles.put(project, AccessRole.values()[random.nextInt(3)]);
        }
      }
      if (random.nextInt(3) == 0) {
        AccessRole every = AccessRole.values()[random.nextInt(2)];
        roles.values().removeIf(role -> role.compareTo(every) <= 0);
        roles.put("*", every);
      }
      if (!roles.isEmpty()) {
        Map<String, String> labels = new TreeMap<>();
        roles.forEach((project, role) -> labels.put(project, role.label()));
        keys.add(new Key(roles, ProjectFixture.key(bed, labels)));
      }
    }
    return keys;
  }

  @Test
  void shouldAnswerAsTheTableOfRightsSays() {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    Random random = new Random(seed);
    List<ProjectFixture> targets = new ArrayList<>();
    PROJECTS.forEach(project -> targets.add(ProjectFixture.create(bed, pool, project)));
    FakeStore.archiveNothing();
    List<Key> keys = keys(random);
    List<String> wrong = new ArrayList<>();
    Map<Integer, Integer> statuses = new TreeMap<>();

    for (int i = 0; i < REQUESTS; i++) {
      Key key = keys.get(random.nextInt(keys.size()));
      int target = random.nextInt(targets.size() + 2);
      boolean creates = target == targets.size();
      boolean unknown = target > targets.size();
      ProjectFixture of = target < targets.size() ? targets.get(target) : ProjectFixture.unknown();
      String project = creates ? PROJECTS.get(random.nextInt(PROJECTS.size())) : of.project();
      // Without a workflow, a permitted request creates no run.
      Operation operation =
          creates
              ? new Operation(
                  "POST", "/runs", AccessRole.OPERATOR, "{\"project\": \"" + project + "\"}")
              : OPERATIONS.get(random.nextInt(OPERATIONS.size()));
      int expected =
          !key.maySomewhere(operation.least())
              ? 403
              : !creates && (unknown || !key.may(AccessRole.VIEWER, project))
                  ? 404
                  : !key.may(operation.least(), project) ? 403 : 0;

      Answer answer =
          ProjectFixture.send(
              bed,
              key.text(),
              operation.method(),
              of.path(operation.path()),
              operation.body().getBytes(StandardCharsets.UTF_8));

      statuses.merge(answer.status(), 1, Integer::sum);
      boolean refused = answer.status() == 401 || answer.status() == 403 || answer.status() == 404;
      if (expected == 0 ? refused || answer.status() >= 500 : answer.status() != expected) {
        wrong.add(
            "%s %s in '%s' with %s: %d instead of %d: %s"
                .formatted(
                    operation.method(),
                    operation.path(),
                    project,
                    key.roles(),
                    answer.status(),
                    expected,
                    answer.text()));
      }
    }

    assertThat(wrong).as("seed %d", seed).isEmpty();
    assertThat(statuses.keySet()).as("seed %d", seed).contains(200, 403, 404);
  }
}
