/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.baton.acceptance.violations.chaos.UsesTheFold;
import dev.baton.acceptance.violations.cli.UsesTheOrchestrator;
import dev.baton.acceptance.violations.lease.UsesAServerPart;
import dev.baton.acceptance.violations.orchestrator.UsesTheStore;
import dev.baton.acceptance.violations.protocol.UsesAFramework;
import dev.baton.acceptance.violations.protocol.UsesAMilestone;
import dev.baton.acceptance.violations.protocol.UsesAService;
import dev.baton.acceptance.violations.runner.UsesTheCli;
import dev.baton.acceptance.violations.sink.UsesAnInjector;
import dev.baton.acceptance.violations.snapshot.UsesTheNetwork;
import dev.baton.acceptance.violations.store.UsesTheRunner;
import dev.baton.acceptance.violations.util.IsNamedByItsLayer;
import java.net.URI;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the allowed dependencies between modules; for each rule, a planted class must break it.
 */
class ArchitectureTest {
  @SuppressWarnings("NullAway.Init")
  private static JavaClasses project;

  @BeforeAll
  static void read() {
    project = ProductClassImporter.read();
    assertThat(project.size()).isGreaterThan(200);
  }

  /** The next tests of the process need the hundreds of megabytes that the classes occupy. */
  @AfterAll
  @SuppressWarnings("NullAway")
  static void release() {
    project = null;
  }

  /** The packages of the libraries that every part may use, and of the protocol. */
  private static String[] libraries(String prefix) {
    return Stream.of(
            "protocol",
            "snapshot",
            "milestone",
            "sink",
            "lease",
            "process",
            "transfer",
            "launcher",
            "operator")
        .map(name -> prefix + name + "..")
        .toArray(String[]::new);
  }

  private static String[] with(String[] packages, String... others) {
    return Stream.concat(Stream.of(packages), Stream.of(others)).toArray(String[]::new);
  }

  /**
   * @param prefix package prefix of the modules, or of the planted classes
   */
  private static ArchRule contractsUseNoService(String prefix) {
    return noClasses()
        .that()
        .resideInAnyPackage(with(libraries(prefix), prefix + "server.."))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.baton.orchestrator..",
            "dev.baton.store..",
            "dev.baton.runner..",
            "dev.baton.cli..",
            "dev.baton.standalone..");
  }

  /**
   * gRPC stubs in the protocol's package may use frameworks: they are generated for the services.
   */
  private static ArchRule contractsUseNoFramework(String prefix) {
    return noClasses()
        .that()
        .resideInAnyPackage(
            prefix + "protocol..",
            prefix + "snapshot..",
            prefix + "milestone..",
            prefix + "transfer..")
        .and()
        .resideOutsideOfPackage("dev.baton.protocol.grpc..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.quarkus..", "jakarta..", "io.vertx..", "io.smallrye..", "org.hibernate..");
  }

  /** The sink composes its steps with Mutiny, which is a library, and uses nothing else of it. */
  private static ArchRule sinkUsesOnlyMutiny(String prefix) {
    return noClasses()
        .that()
        .resideInAPackage(prefix + "sink..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "io.quarkus..", "jakarta..", "io.vertx..", "io.smallrye..", "org.hibernate..")
                .and(not(resideInAnyPackage("io.smallrye.mutiny.."))));
  }

  private static ArchRule snapshotsKnowNoNetwork(String prefix) {
    return noClasses()
        .that()
        .resideInAPackage(prefix + "snapshot..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "java.net..",
                    "org.apache.kafka..",
                    "io.minio..",
                    "io.grpc..",
                    "dev.baton.protocol..")
                .and(not(type(URI.class))));
  }

  private static ArchRule orchestratorStandsAlone(String prefix) {
    return apart(prefix, "orchestrator", "store", "runner", "cli", "standalone");
  }

  /** Forbids a module to depend on the given modules. */
  private static ArchRule apart(String prefix, String part, String... others) {
    return noClasses()
        .that()
        .resideInAPackage(prefix + part + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            Stream.of(others).map(other -> prefix + other + "..").toArray(String[]::new));
  }

  private static ArchRule storeStandsAlone(String prefix) {
    return apart(prefix, "store", "orchestrator", "runner", "cli", "standalone");
  }

  /** A runner only passes its lease on: verification would cost classes at every start. */
  private static ArchRule runnerStandsAlone(String prefix) {
    return apart(prefix, "runner", "orchestrator", "store", "cli", "standalone", "lease");
  }

  /** The CLI starts a stack, but may use the services only through their interfaces. */
  private static ArchRule cliUsesNoService(String prefix) {
    return apart(prefix, "cli", "orchestrator", "store", "runner");
  }

  /** Only the runner and the CLI may use milestones (the history of a repository). */
  private static ArchRule milestonesAreForRunnerAndCli(String prefix) {
    return noClasses()
        .that()
        .resideInAnyPackage(
            prefix + "protocol..",
            prefix + "snapshot..",
            prefix + "orchestrator..",
            prefix + "store..",
            prefix + "standalone..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(prefix + "milestone..");
  }

  /** Only the services may use what they share as Quarkus applications. */
  private static ArchRule serviceLibraryIsForServices(String prefix) {
    return noClasses()
        .that()
        .resideInAnyPackage(
            with(
                libraries(prefix),
                prefix + "runner..",
                prefix + "cli..",
                prefix + "standalone..",
                prefix + "chaos.."))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(prefix + "server..");
  }

  /** The chaos checker must not use the fold that it verifies, nor classes of the services. */
  private static ArchRule chaosStandsAlone(String prefix) {
    return apart(prefix, "chaos", "protocol", "orchestrator", "store", "runner", "cli");
  }

  private static ArchRule noPackagesByLayer(String prefix) {
    return noClasses()
        .that()
        .resideInAPackage(prefix.replaceFirst("[.]$", ".."))
        .should()
        .resideInAnyPackage(
            "..impl..", "..util..", "..utils..", "..dto..", "..service..", "..helper..");
  }

  static Stream<Arguments> rules() {
    String planted = "dev.baton.acceptance.violations.";
    return Stream.of(
        Arguments.of(
            contractsUseNoService("dev.baton."),
            contractsUseNoService(planted),
            UsesAService.class),
        Arguments.of(
            contractsUseNoFramework("dev.baton."),
            contractsUseNoFramework(planted),
            UsesAFramework.class),
        Arguments.of(
            sinkUsesOnlyMutiny("dev.baton."), sinkUsesOnlyMutiny(planted), UsesAnInjector.class),
        Arguments.of(
            snapshotsKnowNoNetwork("dev.baton."),
            snapshotsKnowNoNetwork(planted),
            UsesTheNetwork.class),
        Arguments.of(
            orchestratorStandsAlone("dev.baton."),
            orchestratorStandsAlone(planted),
            UsesTheStore.class),
        Arguments.of(
            storeStandsAlone("dev.baton."), storeStandsAlone(planted), UsesTheRunner.class),
        Arguments.of(runnerStandsAlone("dev.baton."), runnerStandsAlone(planted), UsesTheCli.class),
        Arguments.of(
            cliUsesNoService("dev.baton."), cliUsesNoService(planted), UsesTheOrchestrator.class),
        Arguments.of(
            milestonesAreForRunnerAndCli("dev.baton."),
            milestonesAreForRunnerAndCli(planted),
            UsesAMilestone.class),
        Arguments.of(
            serviceLibraryIsForServices("dev.baton."),
            serviceLibraryIsForServices(planted),
            UsesAServerPart.class),
        Arguments.of(chaosStandsAlone("dev.baton."), chaosStandsAlone(planted), UsesTheFold.class),
        Arguments.of(
            noPackagesByLayer("dev.baton."), noPackagesByLayer(planted), IsNamedByItsLayer.class));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldHoldAndBeAbleToFail(ArchRule rule, ArchRule ofPlanted, Class<?> violation) {
    rule.check(project);
    assertThat(
            ofPlanted
                .evaluate(new ClassFileImporter().importPackages(violation.getPackageName()))
                .hasViolation())
        .as("%s breaks: %s", violation.getSimpleName(), ofPlanted.getDescription())
        .isTrue();
  }
}
