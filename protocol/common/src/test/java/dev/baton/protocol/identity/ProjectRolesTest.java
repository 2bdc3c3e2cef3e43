/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectRolesTest {
  @Test
  void shouldAddTheRoleForEveryProject() {
    ProjectRoles roles = ProjectRoles.parse(Map.of("payments", "operator", "*", "viewer"));

    assertThat(roles.roleIn("payments")).contains(AccessRole.OPERATOR);
    assertThat(roles.roleIn("orders")).contains(AccessRole.VIEWER);
    assertThat(roles.everywhere()).contains(AccessRole.VIEWER);
    assertThat(roles.highest()).isEqualTo(AccessRole.OPERATOR);
    assertThat(roles.scope(AccessRole.VIEWER)).isEqualTo(ProjectScope.ALL);
    assertThat(roles.scope(AccessRole.OPERATOR).names()).containsExactly("payments");
    assertThat(roles.entries()).containsExactly("*=viewer", "payments=operator");
  }

  @Test
  void shouldHaveNoRoleInOtherProjects() {
    ProjectRoles roles = ProjectRoles.parse(List.of("payments=admin"));

    assertThat(roles.roleIn("orders")).isEmpty();
    assertThat(roles.roleIn("*")).isEmpty();
    assertThat(roles.hasEverywhere(AccessRole.VIEWER)).isFalse();
    assertThat(roles.scope(AccessRole.VIEWER).contains("orders")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "payments",
        "=viewer",
        "payments=",
        "payments=root",
        "Payments=viewer",
        "**=viewer",
        "a b=viewer",
        "../x=viewer",
        "payments=Viewer"
      })
  void shouldNameWhatIsAllowed(String entry) {
    assertThatThrownBy(() -> ProjectRoles.parse(List.of(entry)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"viewer", "operator"})
  void shouldRefuseARoleWithoutEffect(String role) {
    assertThatThrownBy(() -> ProjectRoles.parse(List.of("*=operator", "payments=" + role)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("roles only add");
  }

  @Test
  void shouldRefuseNoRoleAtAll() {
    assertThatThrownBy(() -> ProjectRoles.parse(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Compares scopes with roles, and both with a plain table. */
  @Test
  void shouldAgreeWithItsTable() {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    Random random = new Random(seed);
    List<String> projects = List.of("*", "a", "b", "c");
    for (int i = 0; i < 1_000; i++) {
      Map<String, AccessRole> table = new TreeMap<>();
      for (String project : projects) {
        if (random.nextBoolean()) {
          table.put(project, AccessRole.values()[random.nextInt(3)]);
        }
      }
      if (table.isEmpty()) {
        continue;
      }
      ProjectRoles roles = new ProjectRoles(new TreeMap<>(table));
      for (String project : List.of("a", "b", "c", "d")) {
        List<AccessRole> granted = new ArrayList<>();
        Optional.ofNullable(table.get(project)).ifPresent(granted::add);
        Optional.ofNullable(table.get("*")).ifPresent(granted::add);
        for (AccessRole least : AccessRole.values()) {
          boolean allowed = granted.stream().anyMatch(role -> role.compareTo(least) >= 0);
          assertThat(roles.roleIn(project).filter(role -> role.compareTo(least) >= 0).isPresent())
              .as("seed %d: %s in %s of %s", seed, least, project, table)
              .isEqualTo(allowed);
          assertThat(roles.scope(least).contains(project))
              .as("seed %d: %s in %s of %s", seed, least, project, table)
              .isEqualTo(allowed);
        }
      }
    }
  }
}
