/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import dev.baton.protocol.grpc.CheckpointStore;
import dev.baton.protocol.grpc.RunnerGateway;
import dev.baton.protocol.grpc.Runs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Checks the .proto files against the last recorded version. To record the current one, after a
 * release or a change that is meant to break: {@code -Dbaton.contract.record=true}.
 */
class ProtoContractTest {
  private static final Path RECORDED = Path.of("src/test/resources/recorded/protos.txt");

  private static final List<FileDescriptor> FILES =
      List.of(Runs.getDescriptor(), CheckpointStore.getDescriptor(), RunnerGateway.getDescriptor());

  @Test
  void shouldBreakNoProgramThatUsesTheRecordedVersion() throws Exception {
    SortedSet<String> current = ProtoContract.facts(FILES);
    if (Boolean.getBoolean("baton.contract.record")) {
      Files.createDirectories(RECORDED.getParent());
      Files.write(RECORDED, current);
    }

    SortedSet<String> gone = new TreeSet<>(Files.readAllLines(RECORDED));
    assertThat(gone).hasSizeGreaterThan(200);
    gone.removeAll(current);

    assertThat(gone).isEmpty();
  }

  @Test
  void shouldFindRemovedAndChangedFields() throws Exception {
    SortedSet<String> recorded = ProtoContract.facts(FILES);
    FileDescriptorProto.Builder changed = Runs.getDescriptor().toProto().toBuilder();
    changed
        .getMessageTypeBuilderList()
        .forEach(
            message -> {
              if (message.getName().equals("GetRunRequest")) {
                message.clearField();
              }
              if (message.getName().equals("WorkflowVersion")) {
                message.getFieldBuilder(0).setNumber(9);
                message.getFieldBuilder(1).setType(FieldDescriptorProto.Type.TYPE_BYTES);
              }
            });
    changed.getServiceBuilder(0).removeMethod(1);
    FileDescriptor file =
        FileDescriptor.buildFrom(
            changed.build(), new FileDescriptor[] {CheckpointStore.getDescriptor()});

    recorded.removeAll(ProtoContract.facts(List.of(file, FILES.get(1), FILES.get(2))));

    assertThat(recorded)
        .containsExactly(
            "field dev.baton.v1.GetRunRequest.run = 1 string",
            "field dev.baton.v1.WorkflowVersion.hash = 2 string",
            "field dev.baton.v1.WorkflowVersion.name = 1 string",
            "rpc dev.baton.v1.RunsService.CreateRun(dev.baton.v1.CreateRunRequest) returns"
                + " (dev.baton.v1.Run)");
  }
}
