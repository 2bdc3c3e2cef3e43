/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import java.util.Random;
import java.util.stream.Stream;

/**
 * The workflows of the workload. Their outputs depend only on the definition. Every shell step
 * appends to the effects ledger when it begins and when it ends; the server of HTTP requests
 * appends for these.
 */
public enum ChaosWorkload {
  /** Files that are created and changed, step by step. */
  FILES(
      4,
      """
      name: chaos-files
      defaults: {env: {LEDGER: "${{ .input.ledger }}"}}
      steps:
        - id: make
          shell: |
            EFFECT
            e begin
            mkdir -p d; i=0
            while [ $i -lt 20 ]; do echo "line $i" > "d/f$i"; i=$((i + 1)); done
            sleep 0.4
            e end
        - {id: pick, transform: '[1, 2, 3] | add'}
        - id: change
          shell: |
            EFFECT
            e begin
            for f in d/*; do echo changed >> "$f"; sleep 0.02; done
            e end
        - id: remove
          shell: |
            EFFECT
            e begin
            rm d/f1; sleep 0.3; mv d/f2 d/g2
            e end
        - id: sum
          shell: |
            EFFECT
            e begin
            find d -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64
            e end
      """),
  /** Branches that change separate files, which are merged. */
  BRANCHES(
      3,
      """
      name: chaos-branches
      defaults: {env: {LEDGER: "${{ .input.ledger }}"}}
      steps:
        - id: seed
          shell: |
            EFFECT
            e begin
            mkdir -p out; echo seed > out/seed
            e end
        - id: fan
          parallel:
            over: '["a", "b", "c"]'
            max: 3
            steps:
              - id: write
                shell: |
                  EFFECT
                  e begin
                  sleep 0.3; echo "$ITEM" > "out/$ITEM"
                  e end
                env: {ITEM: "${{ .run.branch.item }}"}
              - id: more
                shell: |
                  EFFECT
                  e begin
                  echo more >> "out/$ITEM"; sleep 0.2
                  e end
                env: {ITEM: "${{ .run.branch.item }}"}
        - id: sum
          shell: |
            EFFECT
            e begin
            find out -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64
            e end
      """),
  /** A step that fails first, and one that is visited again. */
  RETRIES(
      3,
      """
      name: chaos-retries
      defaults: {env: {LEDGER: "${{ .input.ledger }}"}}
      steps:
        - id: flaky
          retry: {max: 3, backoff: 200ms}
          shell: |
            EFFECT
            e begin
            echo attempt >> attempts
            sleep 0.2
            [ "$BATON_ATTEMPT" -ge 2 ]
            e end
        - id: lap
          shell: |
            EFFECT
            e begin
            echo lap >> laps; sleep 0.2
            wc -l < laps
            e end
          output: json
          next: [{when: .steps.lap.output < 3, to: lap}]
          max_visits: 5
        - id: sum
          shell: |
            EFFECT
            e begin
            cat attempts laps
            e end
      """),
  /** No files: requests, a loop, waits, and branches, on a runner that executes many runs. */
  LIGHT(
      7,
      """
      name: chaos-light
      steps:
        - id: first
          http: {method: POST, url: "${{ .input.effects }}/first"}
          retry: 5
        - id: lap
          transform: (.steps.lap.output // 0) + 1
          next: [{when: .steps.lap.output < 5, to: lap}]
          max_visits: 10
        - {id: rest, wait: 900ms}
        - id: fan
          parallel:
            over: '[1, 2, 3, 4]'
            steps:
              - id: call
                http: {method: POST, url: "${{ .input.effects }}/call", body: "${{ .run.branch.item }}"}
                retry: 5
              - {id: pause, wait: 300ms}
              - {id: twice, transform: .run.branch.item * 2}
        - {id: again, wait: 800ms}
        - id: sum
          transform: '{laps: .steps.lap.output, fan: .steps.fan.output, first: .steps.first.output.body}'
      """),
  /** Approvals, which the workload client answers. */
  APPROVALS(
      5,
      """
      name: chaos-approvals
      steps:
        - {id: begin, transform: '1'}
        - {id: ask, approval: 'Go on?'}
        - {id: rest, wait: 700ms}
        - id: call
          http: {method: POST, url: "${{ .input.effects }}/asked"}
          retry: 5
        - {id: again, approval: 'And on?'}
        - {id: sum, transform: '[.steps.begin.output, .steps.ask.output, .steps.again.output]'}
      """),
  /** A mix of all kinds. */
  MIXED(
      3,
      """
      name: chaos-mixed
      defaults: {env: {LEDGER: "${{ .input.ledger }}"}}
      steps:
        - id: prepare
          shell: |
            EFFECT
            e begin
            echo prepared > notes; sleep 0.3
            e end
        - {id: ask, approval: 'Publish?'}
        - id: publish
          http: {method: POST, url: "${{ .input.effects }}/publish"}
          retry: 5
        - {id: rest, wait: 400ms}
        - id: finish
          shell: |
            EFFECT
            e begin
            echo "$ANSWER" >> notes; sleep 0.2
            cat notes
            e end
          env: {ANSWER: "${{ .steps.ask.output.approved }}"}
      """);

  private static final String EFFECT =
      "e() { printf '%s %s %s %s %s %s\\n' \"$BATON_IDEMPOTENCY_KEY\" \"$BATON_ATTEMPT\""
          + " \"$BATON_EPOCH\" \"$1\" \"$$\" \"$(date +%s%N)\" >> \"$LEDGER\"; }";
  private static final int ALL = Stream.of(values()).mapToInt(one -> one.weight).sum();

  private final int weight;
  private final String definition;

  ChaosWorkload(int weight, String definition) {
    this.weight = weight;
    this.definition = definition.replace("EFFECT", EFFECT);
  }

  /** The definition in YAML. */
  public String definition() {
    return definition;
  }

  /** The workflow's name. */
  public String workflow() {
    return "chaos-" + name().toLowerCase(java.util.Locale.ROOT);
  }

  /** Chooses one at random, by weight. */
  public static ChaosWorkload choose(Random random) {
    int left = random.nextInt(ALL);
    for (ChaosWorkload one : values()) {
      left -= one.weight;
      if (left < 0) {
        return one;
      }
    }
    throw new AssertionError("the weights are " + ALL);
  }
}
