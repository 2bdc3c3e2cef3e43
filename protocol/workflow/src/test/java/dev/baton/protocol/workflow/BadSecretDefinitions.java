/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static dev.baton.protocol.workflow.BadDefinitionsTest.meaning;
import static dev.baton.protocol.workflow.BadDefinitionsTest.schema;

import java.util.stream.Stream;

/** Definitions with wrong secrets, and with secrets in places where there can be none. */
final class BadSecretDefinitions {
  private static final String HERE =
      "; allowed: in 'env' of shell steps, and in 'headers' and 'body' of http steps";

  private static final String NOT_READ =
      "expressions cannot read secrets: only ${{ secrets.NAME }} alone is replaced; allowed: jq over .input, .steps and .run";

  private BadSecretDefinitions() {}

  static Stream<BadDefinitionsTest.Case> cases() {
    return Stream.of(references(), places(), inputs()).flatMap(cases -> cases);
  }

  private static String with(String step) {
    return "name: w\nsecrets: {npm: {env: BATON_SECRET_NPM}}\nsteps:\n" + step + "\n";
  }

  private static String reference(String reference) {
    return "name: w\nsecrets: {npm: " + reference + "}\nsteps:\n- {id: a, transform: '1'}\n";
  }

  private static Stream<BadDefinitionsTest.Case> references() {
    return Stream.of(
        schema(
            "a secret's value",
            reference("hunter2"),
            "line 2, column 16 (secrets.npm): a secret is a reference, never its value; allowed: {env: NAME}, {file: /path}, {vault: path#field} or {command: [program, …]}"),
        schema(
            "a secret with two references",
            reference("{env: A, file: /a}"),
            "line 2, column 16 (secrets.npm): a secret needs exactly one reference; allowed: {env: NAME}, {file: /path}, {vault: path#field} or {command: [program, …]}"),
        schema(
            "an unknown kind of secret",
            reference("{env: A, keychain: x}"),
            "line 2, column 25 (secrets.npm.keychain): unknown key 'keychain'; allowed: env, file, vault, command"),
        schema(
            "a secret of Vault without a field",
            reference("{vault: secret/data/ci/npm}"),
            "line 2, column 24 (secrets.npm.vault): 'secret/data/ci/npm' is not a secret of Vault; allowed: the path of Vault's API with its mount, '#', and a field, such as secret/data/ci/npm#token"),
        meaning(
            "a secret of Vault above its mount",
            reference("{vault: secret/../sys/seal-status#sealed}"),
            "line 2, column 24 (secrets.npm.vault): 'secret/../sys/seal-status#sealed' is not a secret of Vault; allowed: the path of Vault's API with its mount, '#', and a field, such as secret/data/ci/npm#token"),
        schema(
            "an invalid variable of a secret",
            reference("{env: A-B}"),
            "line 2, column 22 (secrets.npm.env): 'A-B' is not a variable's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,127}"),
        meaning(
            "a secret above its folder",
            reference("{file: /run/secrets/../x}"),
            "line 2, column 23 (secrets.npm.file): '/run/secrets/../x' is not the path of a file; allowed: an absolute path without '.', '..' and '//'"),
        schema(
            "a secret's name",
            "name: w\nsecrets: {a-b: {env: A}}\nsteps:\n- {id: a, transform: '1'}\n",
            "line 2, column 11 (secrets.a-b): 'a-b' is not a secret's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,63}"));
  }

  private static String input(String schema) {
    return "name: w\nsecrets: {npm: {env: A}}\ninput: "
        + schema
        + "\nsteps:\n- {id: a, wait: 1s}\n";
  }

  private static Stream<BadDefinitionsTest.Case> inputs() {
    return Stream.of(
        meaning(
            "a secret input that is nested",
            input("{properties: {a: {properties: {b: {x-secret: true}}}}}"),
            "line 3, column 43 (input.properties.a.properties.b.x-secret): 'x-secret' cannot be used here; allowed: in a property of the workflow's input itself"),
        meaning(
            "a secret input by a reference of the schema",
            input("{$ref: '#/$defs/a', $defs: {a: {x-secret: true}}}"),
            "line 3, column 40 (input.$defs.a.x-secret): 'x-secret' cannot be used here; allowed: in a property of the workflow's input itself"),
        meaning(
            "an input that is a secret as a whole",
            input("{x-secret: true}"),
            "line 3, column 9 (input.x-secret): 'x-secret' cannot be used here; allowed: in a property of the workflow's input itself"),
        meaning(
            "a secret input with another value",
            input("{properties: {t: {x-secret: maybe}}}"),
            "line 3, column 36 (input.properties.t.x-secret): 'x-secret' has another value; allowed: true, false"),
        meaning(
            "a secret input with a secret's name",
            input("{properties: {npm: {x-secret: true}}}"),
            "line 3, column 38 (input.properties.npm.x-secret): 'npm' is also a secret of the workflow; allowed: another name for the input"),
        meaning(
            "a secret input whose name no step can use",
            input("{properties: {a-b: {x-secret: true}}}"),
            "line 3, column 22 (input.properties.a-b.x-secret): 'a-b' is not a secret's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,63}"),
        meaning(
            "a secret input without secrets",
            "name: w\ninput: {properties: {t: {x-secret: true}}}\nsteps:\n- {id: a, wait: 1s}\n",
            "line 2, column 36 (input.properties.t.x-secret): no reference can be passed: the workflow declares no secrets; allowed: secrets among which the caller of a run selects, in the workflow's 'secrets'"),
        meaning(
            "a secret answer",
            "name: w\nsteps:\n- id: a\n  approval: {prompt: p, schema: {properties: {t: {x-secret: true}}}}\n",
            "line 4, column 51 (step a, steps[0].approval.schema.properties.t.x-secret): 'x-secret' cannot be used here; allowed: in a property of the workflow's input itself"));
  }

  private static Stream<BadDefinitionsTest.Case> places() {
    return Stream.of(
        meaning(
            "an unknown secret",
            with("- {id: a, shell: 'true', env: {T: '${{ secrets.npn }}'}}"),
            "line 4, column 39 (step a, steps[0].env.T): unknown secret 'npn'; did you mean 'npm'?; allowed: npm"),
        meaning(
            "a secret in a URL",
            with("- {id: a, http: {url: 'https://x/${{ secrets.npm }}'}}"),
            "line 4, column 37 (step a, steps[0].http.url): secrets.npm cannot be used here"
                + HERE),
        meaning(
            "a secret in a question",
            with("- {id: a, approval: '${{ secrets.npm }}'}"),
            "line 4, column 25 (step a, steps[0].approval): secrets.npm cannot be used here"
                + HERE),
        meaning(
            "a secret of an agent",
            with("- {id: a, agent: {use: claude, prompt: 'x ${{ secrets.npm }}'}}"),
            "line 4, column 46 (step a, steps[0].agent.prompt): secrets.npm cannot be used here"
                + HERE),
        meaning(
            "a secret of a bean",
            with("- {id: a, fn: {bean: b, args: {t: ['${{ secrets.npm }}']}}}"),
            "line 4, column 40 (step a, steps[0].fn.args.t[0]): secrets.npm cannot be used here"
                + HERE),
        meaning(
            "a secret in an expression",
            with("- {id: a, transform: secrets.npm}"),
            "line 4, column 22 (step a, steps[0].transform): " + NOT_READ),
        meaning(
            "a secret that is transformed",
            with("- {id: a, shell: 'true', env: {T: '${{ secrets.npm | @base64 }}'}}"),
            "line 4, column 40 (step a, steps[0].env.T): " + NOT_READ));
  }
}
