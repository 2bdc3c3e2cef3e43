/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.advisories;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * No library of the packages, and of the bill of materials where the build has created it, has a
 * known vulnerability without an exception: see {@code build/advisories}.
 */
class AdvisoryTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".");
  private static final Path ADVISORIES = ROOT.resolve("build/advisories");
  private static final Path BOM = ROOT.resolve("target/baton-sbom.json");
  private static final List<String> PACKAGES =
      List.of("orchestrator", "checkpoint-store", "runner");
  private static final LocalDate DAY = LocalDate.of(2026, 11, 28);

  private static final VulnerabilityAdvisory PLANTED =
      VulnerabilityAdvisory.parse(
          tree(
              """
              {"id": "X-1", "summary": "planted", "affected": [
                {"package": {"ecosystem": "Maven", "name": "g:a"}, "ranges": [{"type": "ECOSYSTEM",
                  "events": [{"introduced": "0"}, {"fixed": "1.2"},
                             {"introduced": "2.0.0.Final"}, {"fixed": "2.0.10.Final"}]}]},
                {"package": {"ecosystem": "npm", "name": "b"}, "ranges": []}]}
              """));

  private static JsonNode tree(String json) {
    return Json.tree(json.getBytes(UTF_8));
  }

  @Test
  void shouldUseNoLibraryWithAKnownVulnerability() throws Exception {
    List<VulnerabilityAdvisory> advisories =
        VulnerabilityAdvisory.readAll(ADVISORIES.resolve("osv"));
    List<String> names =
        new ArrayList<>(
            new TreeSet<>(
                advisories.stream()
                    .flatMap(advisory -> advisory.ranges().stream())
                    .map(VulnerabilityAdvisory.AffectedRange::name)
                    .toList()));
    Set<ResolvedComponent> components = new java.util.LinkedHashSet<>();
    for (String module : PACKAGES) {
      Set<ResolvedComponent> of =
          ResolvedComponentReader.ofPackage(
              ROOT.resolve(module).resolve("target/quarkus-app/lib/main"), names);
      assertThat(of).as("libraries of %s", module).isNotEmpty();
      components.addAll(of);
    }
    if (Files.exists(BOM)) {
      Set<ResolvedComponent> of = ResolvedComponentReader.ofBom(Files.readAllBytes(BOM));
      assertThat(of).as("components of %s", BOM).hasSizeGreaterThan(100);
      components.addAll(of);
    }

    assertThat(
            AdvisoryChecker.problems(
                components,
                advisories,
                AdvisoryException.readAll(ADVISORIES.resolve("exceptions.json")),
                LocalDate.now(java.time.ZoneOffset.UTC)))
        .as("update these libraries, or add an exception to build/advisories/exceptions.json")
        .isEmpty();
  }

  private static List<String> check(String version, AdvisoryException... exceptions) {
    return AdvisoryChecker.problems(
        List.of(new ResolvedComponent("g:a", version), new ResolvedComponent("g:other", "1")),
        List.of(PLANTED),
        List.of(exceptions),
        DAY);
  }

  @Test
  void shouldFindAffectedVersionsOnly() {
    for (String affected : List.of("0.9", "1.1.9", "1.2-rc1", "2.0.0.Final", "2.0.9.Final")) {
      assertThat(check(affected))
          .as(affected)
          .singleElement()
          .asString()
          .contains("g:a " + affected, "X-1", "planted", "fixed in ");
    }
    for (String other : List.of("1.2", "1.10", "2.0.10.Final", "2.0.100.Final", "3")) {
      assertThat(check(other)).as(other).isEmpty();
    }
  }

  @Test
  void shouldAcceptAnExceptionUntilItExpires() {
    AdvisoryException today = new AdvisoryException("X-1", "g:a", "not reached", DAY);
    AdvisoryException yesterday =
        new AdvisoryException("X-1", "g:a", "not reached", DAY.minusDays(1));

    assertThat(check("1.0", today)).isEmpty();
    assertThat(check("1.0", yesterday))
        .singleElement()
        .asString()
        .contains("its exception expired on 2026-11-27");
    assertThat(check("1.2", today))
        .containsExactly("exception X-1 for g:a is not needed: remove it");
    assertThatThrownBy(() -> new AdvisoryException("X-1", "g:a", " ", DAY))
        .hasMessageContaining("reason");
  }

  @Test
  void shouldReadComponentsOfABillOfMaterials() {
    byte[] bom =
        """
        {"bomFormat": "CycloneDX", "components": [
          {"purl": "pkg:maven/g/a@1.0.Final?type=jar"},
          {"purl": "pkg:maven/g/b@1%2B2?classifier=x&type=jar"},
          {"purl": "pkg:npm/c@1"}, {"name": "d"}]}
        """
            .getBytes(UTF_8);

    assertThat(ResolvedComponentReader.ofBom(bom))
        .containsExactly(
            new ResolvedComponent("g:a", "1.0.Final"), new ResolvedComponent("g:b", "1+2"));
  }

  @Test
  void shouldRefuseAnAdvisoryWithoutRanges() {
    assertThatThrownBy(() -> VulnerabilityAdvisory.parse(tree("{\"id\": \"X-2\"}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("X-2");
  }
}
