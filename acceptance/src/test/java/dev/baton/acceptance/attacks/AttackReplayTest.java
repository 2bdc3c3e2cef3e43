/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.acceptance.PreviousVersionBuilder;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Executes each attack on the services of the commit before the security work, built from the
 * history, and on those of this tree: it succeeds on the first and fails on the second.
 */
@Tag("full")
class AttackReplayTest {
  /** The commit that was reviewed; identity, leases and signatures came after it. */
  private static final String BEFORE = "0917856c";

  /** Executes only attacks whose name contains this text. */
  private static final String ONLY = System.getProperty("baton.attack", "");

  private static final List<String> TABLE = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private static AttackedInstallation before;

  @SuppressWarnings("NullAway.Init")
  private static AttackedInstallation now;

  @BeforeAll
  static void start() throws Exception {
    InstallationLayout earlier = PreviousVersionBuilder.build(BEFORE);
    before = AttackedInstallation.start(AttackTarget.Version.BEFORE, earlier);
    now = AttackedInstallation.start(AttackTarget.Version.NOW, InstallationLayout.find());
  }

  @AfterAll
  static void stop() throws IOException {
    System.out.println("| attack | on " + BEFORE + " | now |\n| --- | --- | --- |");
    TABLE.forEach(System.out::println);
    try (AttackedInstallation one = before;
        AttackedInstallation other = now) {
      if (one == null || other == null) {
        System.out.println("the services did not start");
      }
    }
  }

  static Stream<ReplayedAttack> attacks() {
    return Stream.of(
            CallerAttackFamily.attacks(),
            WebPageAttackFamily.attacks(),
            StoreAttackFamily.attacks(),
            ChunkAttackFamily.attacks(),
            GatewayAttackFamily.attacks(),
            TraceAttackFamily.attacks(),
            StepAttackFamily.attacks())
        .flatMap(List::stream)
        .filter(attack -> attack.name().contains(ONLY));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void shouldSucceedOnTheCommitBeforeAndFailNow(ReplayedAttack attack) throws Exception {
    AttackOutcome first = execute(attack, before);
    AttackOutcome second = execute(attack, now);
    TABLE.add("| %s | %s | %s |".formatted(attack.name(), shown(first), shown(second)));

    requireClear(first);
    requireClear(second);
    assertThat(first).isInstanceOf(AttackOutcome.Succeeded.class);
    assertThat(second).isInstanceOf(AttackOutcome.Refused.class);
    assertThat(second.observed()).contains(attack.refusal());
  }

  private static AttackOutcome execute(ReplayedAttack attack, AttackedInstallation on)
      throws Exception {
    try {
      return attack.execution().on(on.target());
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      on.printLogs();
      return new AttackOutcome.Unclear(on.target().version() + ": " + e, e);
    }
  }

  private static void requireClear(AttackOutcome outcome) {
    if (outcome instanceof AttackOutcome.Unclear(String observed, Throwable cause)) {
      throw new AssertionError(observed, cause);
    }
  }

  private static String shown(AttackOutcome outcome) {
    return switch (outcome) {
      case AttackOutcome.Succeeded(String observed) -> "succeeds: " + observed;
      case AttackOutcome.Refused(String observed) -> "fails: " + observed;
      case AttackOutcome.Unclear(String observed, Throwable _) -> "unclear: " + observed;
    };
  }
}
