/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import static dev.baton.acceptance.attacks.AttackHttpClient.JSON_TYPE;

import dev.baton.acceptance.attacks.AttackHttpClient.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Attacks of a page in the owner's browser, as the browser sends them. Where there are keys the
 * page has learned that of the owner, so that each lock is tested without the one before it.
 */
final class WebPageAttackFamily {
  private WebPageAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "start a program from a page: POST /runs without a Content-Type",
            "415",
            WebPageAttackFamily::startWithoutAType),
        new ReplayedAttack(
            "cancel from a page: POST without a body and a Content-Type",
            "415",
            WebPageAttackFamily::cancelWithoutAType),
        new ReplayedAttack(
            "start a program from a page: Origin and Sec-Fetch-Site of another site",
            "403",
            WebPageAttackFamily::startFromAnotherOrigin),
        new ReplayedAttack(
            "read runs from a page whose name was rebound: Host evil.example",
            "421",
            WebPageAttackFamily::readWithAnotherHost));
  }

  private static AttackOutcome startWithoutAType(AttackTarget target) throws Exception {
    Path proof = target.newFile("untyped");
    return CallerAttackFamily.started(
        target, proof, target.thief().post("/runs", Map.of(), CallerAttackFamily.touch(proof)));
  }

  private static AttackOutcome cancelWithoutAType(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String run = owner.startGated("cancel-from-page", gate);
    Answer answer = target.thief().postNothing("/runs/" + run + "/cancel");
    if (answer.isSuccess()) {
      owner.awaitStatus(run, "cancelled");
      return AttackOutcome.succeeded("%d, and the run is cancelled", answer.status());
    }
    Files.createFile(gate);
    owner.awaitStatus(run, "completed");
    return AttackOutcome.refused("%d, the run completed", answer.status());
  }

  private static AttackOutcome startFromAnotherOrigin(AttackTarget target) throws Exception {
    Path proof = target.newFile("origin");
    Map<String, String> headers = new HashMap<>(JSON_TYPE);
    headers.put("Origin", "https://evil.example");
    headers.put("Sec-Fetch-Site", "cross-site");
    return CallerAttackFamily.started(
        target, proof, target.thief().post("/runs", headers, CallerAttackFamily.touch(proof)));
  }

  private static AttackOutcome readWithAnotherHost(AttackTarget target) throws Exception {
    String run = target.owner().start("{name: rebound, steps: [{id: one, transform: '1'}]}");
    Answer answer = target.thief().getWithHost("/runs?workflow=rebound", "evil.example");
    return answer.status() == 200 && answer.body().contains(run)
        ? AttackOutcome.succeeded("200 with the runs")
        : AttackOutcome.refused("%d", answer.status());
  }
}
