/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An installation under attack.
 *
 * @param version of its services
 * @param orchestrator its address
 * @param store address of its checkpoint-store
 * @param kafka its broker, as {@code host:port}
 * @param ownerKey the API key of its owner; empty where there are no keys
 * @param attachToken with which a runner of another host may attach; empty where there are no
 *     tokens
 * @param folder for files of attacks, readable and writable by its programs
 */
record AttackTarget(
    Version version,
    URI orchestrator,
    URI store,
    String kafka,
    Optional<String> ownerKey,
    Optional<String> attachToken,
    Path folder) {

  /** The versions, with the names that have changed in between. */
  enum Version {
    BEFORE(
        "/checkpoints",
        "/cuts",
        "CheckpointStore",
        "CheckpointStore",
        "CheckpointStore",
        "RunnerGateway"),
    NOW(
        "/approvals",
        "/checkpoints",
        "CheckpointService",
        "SnapshotService",
        "MaintenanceService",
        "RunnerGatewayService");

    private static final String PACKAGE = "dev.baton.v1.";

    final String approvalsPath;
    final String checkpointsPath;
    private final String checkpoints;
    private final String snapshots;
    private final String maintenance;
    private final String gateway;

    Version(
        String approvalsPath,
        String checkpointsPath,
        String checkpoints,
        String snapshots,
        String maintenance,
        String gateway) {
      this.approvalsPath = approvalsPath;
      this.checkpointsPath = checkpointsPath;
      this.checkpoints = checkpoints;
      this.snapshots = snapshots;
      this.maintenance = maintenance;
      this.gateway = gateway;
    }

    String checkpointsMethod(String method) {
      return PACKAGE + checkpoints + "/" + method;
    }

    String snapshotsMethod(String method) {
      return PACKAGE + snapshots + "/" + method;
    }

    String maintenanceMethod(String method) {
      return PACKAGE + maintenance + "/" + method;
    }

    String gatewayMethod(String method) {
      return PACKAGE + gateway + "/" + method;
    }
  }

  /** A client of the owner. */
  VictimClient owner() {
    return new VictimClient(this, new AttackHttpClient(orchestrator, ownerKey));
  }

  /** A client without any credential. */
  AttackHttpClient stranger() {
    return new AttackHttpClient(orchestrator, Optional.empty());
  }

  /** A client that has learned the owner's key. */
  AttackHttpClient thief() {
    return new AttackHttpClient(orchestrator, ownerKey);
  }

  /** Returns the path of a new file that does not exist. */
  Path newFile(String name) {
    return folder.resolve(name + "-" + Long.toHexString(System.nanoTime()));
  }
}
