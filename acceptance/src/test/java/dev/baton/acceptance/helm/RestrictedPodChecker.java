/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.helm;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Checks pods by the profile <i>restricted</i> of Kubernetes' pod security standards. Clusters
 * before 1.25 have no admission that does.
 */
final class RestrictedPodChecker {
  private static final Set<String> VOLUMES =
      Set.of(
          "configMap",
          "csi",
          "downwardAPI",
          "emptyDir",
          "ephemeral",
          "persistentVolumeClaim",
          "projected",
          "secret");

  private RestrictedPodChecker() {}

  /** Returns the pods of the objects: those themselves and the templates of the others. */
  static List<JsonNode> pods(List<JsonNode> objects) {
    List<JsonNode> pods = new ArrayList<>();
    for (JsonNode object : objects) {
      if (object.path("kind").asText().equals("Pod")) {
        pods.add(object);
      } else if (object.at("/spec/template/spec").isObject()) {
        pods.add(object.at("/spec/template"));
      }
    }
    return pods;
  }

  /** Returns what the profile forbids. */
  static List<String> violations(JsonNode pod) {
    JsonNode spec = pod.path("spec");
    List<String> found = new ArrayList<>();
    for (String host : List.of("hostNetwork", "hostPID", "hostIPC")) {
      if (spec.path(host).asBoolean()) {
        found.add(host);
      }
    }
    for (JsonNode volume : spec.path("volumes")) {
      volume
          .fieldNames()
          .forEachRemaining(
              kind -> {
                if (!kind.equals("name") && !VOLUMES.contains(kind)) {
                  found.add("volume " + kind);
                }
              });
    }
    for (String list : List.of("initContainers", "containers")) {
      for (JsonNode container : spec.path(list)) {
        container(spec.path("securityContext"), container, found);
      }
    }
    return found;
  }

  private static void container(JsonNode ofPod, JsonNode container, List<String> found) {
    String name = container.path("name").asText();
    JsonNode own = container.path("securityContext");
    if (own.path("privileged").asBoolean()) {
      found.add(name + ": privileged");
    }
    if (!own.path("allowPrivilegeEscalation").isBoolean()
        || own.path("allowPrivilegeEscalation").asBoolean()) {
      found.add(name + ": allowPrivilegeEscalation is not false");
    }
    if (!own.at("/capabilities/drop").toString().equals("[\"ALL\"]")
        || !own.at("/capabilities/add").isMissingNode()) {
      found.add(name + ": capabilities");
    }
    if (!inherited(ofPod, own, "runAsNonRoot").asBoolean()) {
      found.add(name + ": runAsNonRoot is not true");
    }
    if (inherited(ofPod, own, "runAsUser").asInt(1) == 0) {
      found.add(name + ": runAsUser is 0");
    }
    if (!inherited(ofPod, own, "seccompProfile")
        .path("type")
        .asText()
        .matches("RuntimeDefault|Localhost")) {
      found.add(name + ": seccompProfile");
    }
    for (JsonNode port : container.path("ports")) {
      if (port.has("hostPort")) {
        found.add(name + ": hostPort");
      }
    }
  }

  private static JsonNode inherited(JsonNode ofPod, JsonNode own, String key) {
    return own.has(key) ? own.path(key) : ofPod.path(key);
  }
}
