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

/** Invalid sandboxes, for {@link BadDefinitionsTest}. */
final class BadSandboxDefinitions {
  private BadSandboxDefinitions() {}

  private static String shell(String sandbox) {
    return "name: w\nsteps:\n- {id: a, shell: 'true', sandbox: " + sandbox + "}\n";
  }

  private static String agent(String more) {
    return "name: w\ndefaults: {sandbox: {network: host}}\nsteps:\n- {id: a, agent: {use: command, command: x, prompt: x, "
        + more
        + "}}\n";
  }

  static Stream<BadDefinitionsTest.Case> cases() {
    return Stream.of(
        schema(
            "a sandbox that is text",
            shell("yes please"),
            "line 3, column 35 (step a, steps[0].sandbox): this must be true or false; allowed: true, false"),
        schema(
            "an unknown key of a sandbox",
            shell("{net: none}"),
            "line 3, column 36 (step a, steps[0].sandbox.net): unknown key 'net'; allowed: network, hosts, read_only, write, user"),
        schema(
            "an unknown network",
            shell("{network: bridge}"),
            "line 3, column 45 (step a, steps[0].sandbox.network): 'bridge' is not known; allowed: none, proxy, host"),
        meaning(
            "a proxy without hosts",
            shell("{network: proxy}"),
            "line 3, column 45 (step a, steps[0].sandbox.network): 'hosts' is missing: those that the proxy permits; allowed: a host such as pypi.org, *.pypi.org for all below it, or * for all, each with an optional :port"),
        meaning(
            "hosts without a proxy",
            shell("{hosts: pypi.org}"),
            "line 3, column 43 (step a, steps[0].sandbox.hosts): a sandbox with the network 'none' has no 'hosts'; allowed: network: proxy"),
        meaning(
            "a URL as a host",
            shell("{network: proxy, hosts: [a.example, 'https://b.example']}"),
            "line 3, column 71 (step a, steps[0].sandbox.hosts[1]): 'https://b.example' is not a host; allowed: a host such as pypi.org, *.pypi.org for all below it, or * for all, each with an optional :port"),
        meaning(
            "a port above all",
            shell("{network: proxy, hosts: 'a.example:65536'}"),
            "line 3, column 59 (step a, steps[0].sandbox.hosts): 'a.example:65536' is not a host; allowed: a host such as pypi.org, *.pypi.org for all below it, or * for all, each with an optional :port"),
        meaning(
            "a path above the workspace",
            shell("{read_only: ../x}"),
            "line 3, column 47 (step a, steps[0].sandbox.read_only): '../x' is not a path for a sandbox; allowed: an absolute path, or one in the workspace, without '..'"),
        meaning(
            "a relative path to write",
            shell("{write: [/a, b]}"),
            "line 3, column 48 (step a, steps[0].sandbox.write[1]): 'b' is not a path for a sandbox; allowed: an absolute path without '..'"),
        meaning(
            "the processes of the host",
            shell("{read_only: /proc/1}"),
            "line 3, column 47 (step a, steps[0].sandbox.read_only): a sandbox has a /proc of its own; allowed: a path outside of /proc"),
        schema(
            "a user above all",
            shell("{user: 65534}"),
            "line 3, column 42 (step a, steps[0].sandbox.user): 65534 is out of bounds; allowed: 0 to 65533"),
        schema(
            "a sandbox of a transformation",
            "name: w\nsteps:\n- {id: a, transform: '1', sandbox: true}\n",
            "line 3, column 36 (step a, steps[0].sandbox): transform steps have no 'sandbox'; allowed: sandbox on shell, agent"),
        meaning(
            "a guard without network",
            "name: w\nsteps:\n- {id: a, shell: 'baton guard && git push', sandbox: true}\n",
            "line 3, column 18 (step a, steps[0].shell): 'baton guard' does not reach the orchestrator from a sandbox without the network of the host; allowed: sandbox: {network: host}"),
        meaning(
            "an agent with its own login and without network",
            "name: w\nsteps:\n- {id: a, agent: {use: claude, prompt: x, gateway: off, login: A}, sandbox: true}\n",
            "line 3, column 18 (step a, steps[0].agent): without the gateway an agent does not reach its model from a sandbox without network; allowed: sandbox: {network: proxy} or {network: host}"),
        meaning(
            "a server without network",
            "name: w\nsteps:\n- {id: a, agent: {use: opencode, prompt: x}, sandbox: true}\n",
            "line 3, column 18 (step a, steps[0].agent): the agent 'opencode' is driven by a server, which a sandbox without the network of the host hides; allowed: sandbox: {network: host}"),
        meaning(
            "an interactive agent",
            agent("interactive: true"),
            "line 4, column 18 (step a, steps[0].agent): an interactive agent cannot be in a sandbox, from outside of which its screen is reached; allowed: 'sandbox: false', or no 'interactive'"),
        meaning(
            "an agent with background processes",
            agent("background: {match: x}").replace("{match: x}", "[{match: x}]"),
            "line 4, column 18 (step a, steps[0].agent): processes in the background of a sandbox cannot be started again; allowed: 'sandbox: false', or no 'background'"));
  }
}
