// SPDX-License-Identifier: GPL-2.0-only
/* Containers, found in trees and state files laid out as each runtime makes them. */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/scope/container.h"

#define A "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define B "0a1bffff4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define C "cccc2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define D "dddd2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define E "eeee2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define POD "3f1e2a77-5a0c-4b1e-9d6f-0123456789ab"
#define POD_ "3f1e2a77_5a0c_4b1e_9d6f_0123456789ab"

static char root[64], tree[96];

static void make_parents(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void cgroup(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s/", tree, path);
	make_parents(full);
}

static void file(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	make_parents(full);
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	strcpy(root, "/tmp/test_container_XXXXXX");
	assert_non_null(mkdtemp(root));
	snprintf(tree, sizeof(tree), "%s/sys/fs/cgroup", root);
	cgroup("/init.scope");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int teardown(void **state)
{
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int find(const char *text, char **dir, struct err *err)
{
	struct containers all = {0};
	int r;

	*err = (struct err){0};
	*dir = NULL;
	assert_int_equal(containers__scan_tree(&all, tree), 0);
	assert_int_equal(containers__read_state(&all, root, tree), 0);
	r = containers__find(&all, text, dir, err);
	containers__free(&all);
	return r;
}

static void finds(const char *text, const char *path)
{
	struct err err;
	char *dir;

	if (find(text, &dir, &err))
		fail_msg("%s", err.text);
	assert_int_equal(strncmp(dir, tree, strlen(tree)), 0);
	assert_string_equal(dir + strlen(tree), path);
	free(dir);
}

static void fails(const char *text, int code, const char *with)
{
	struct err err;
	char *dir;

	assert_int_equal(find(text, &dir, &err), -code);
	if (!strstr(err.text, with))
		fail_msg("\"%s\" is not in \"%s\"", with, err.text);
}

static void docker_state(void)
{
	file("/var/lib/docker/containers/" A "/config.v2.json",
	     "{\"StreamConfig\":{},\"State\":{\"Running\":true,\"Pid\":77},\"ID\":\"" A "\","
	     "\"Config\":{\"Hostname\":\"0a1b2c3d4e5f\",\"Name\":\"decoy\"},\"Name\":\"/web\"}");
	file("/var/lib/docker/containers/" B "/config.v2.json",
	     "{\"ID\":\"" B "\",\"Name\":\"/database\"}");
	file("/var/lib/docker/containers/" C "/config.v2.json", "{\"ID\":\"" C "\",\"Name\":\"/off\"}");
}

static void docker_cgroupfs(void **state)
{
	docker_state();
	cgroup("/docker/" A);
	cgroup("/docker/" B);
	finds(A, "/docker/" A);
	finds("0a1b2c3d4e5f", "/docker/" A);
	finds("0a1b2", "/docker/" A);
	finds("web", "/docker/" A);
	finds("database", "/docker/" B);
	fails("decoy", ENOENT, "no such container");
	fails("off", ENOENT, "is it running?");
	fails("0a1b", EINVAL, "database");
	fails("0a1b", EINVAL, "web");
}

static void docker_systemd(void **state)
{
	docker_state();
	cgroup("/system.slice/docker-" A ".scope");
	/* a container that makes cgroups of its own */
	cgroup("/system.slice/docker-" A ".scope/init");
	finds("web", "/system.slice/docker-" A ".scope");
	finds("0a1b2c", "/system.slice/docker-" A ".scope");
}

static void podman_root(void **state)
{
	cgroup("/machine.slice/libpod-" D ".scope/container");
	cgroup("/machine.slice/libpod-conmon-" D ".scope");
	file("/var/lib/containers/storage/overlay-containers/containers.json",
	     "[{\"id\":\"" C "\",\"names\":[\"old\"],\"image\":\"x\"},\n"
	     "{\"id\":\"" D "\",\"names\":[\"front\",\"alias\"],\"layer\":\"y\",\"flags\":{\"a\":1}}]");
	finds("alias", "/machine.slice/libpod-" D ".scope");
	finds("dddd2", "/machine.slice/libpod-" D ".scope");
	fails("old", ENOENT, "is it running?");
}

static void podman_cgroupfs(void **state)
{
	cgroup("/libpod_parent/libpod-" D);
	finds("dddd2c", "/libpod_parent/libpod-" D);
}

static void podman_rootless(void **state)
{
#define USER "/user.slice/user-1000.slice/user@1000.service/user.slice"
	cgroup(USER "/libpod-" D ".scope");
	file("/home/ann/.local/share/containers/storage/overlay-containers/containers.json",
	     "[{\"id\":\"" D "\",\"names\":[\"mine\"]}]");
	finds("mine", USER "/libpod-" D ".scope");
}

static void containerd_state(void)
{
	file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" A "/config.json",
	     "{\"ociVersion\":\"1.1.0\",\"annotations\":{\"io.kubernetes.cri.container-name\":\"nginx\","
	     "\"io.kubernetes.cri.sandbox-name\":\"web-0\",\"io.kubernetes.cri.sandbox-uid\":\"" POD "\"}}");
	file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" B "/config.json",
	     "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"side\\u0063ar\","
	     "\"io.kubernetes.cri.sandbox-name\":\"web-0\",\"io.kubernetes.cri.sandbox-uid\":\"" POD "\"}}");
	file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" C "/config.json",
	     "{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
	     "\"io.kubernetes.cri.sandbox-name\":\"web-0\",\"io.kubernetes.cri.sandbox-uid\":\"" POD "\"}}");
}

static void kubernetes(const char *pod, const char *around)
{
	char path[4][512];
	const char *ids[] = {A, B, C};
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(path[i], sizeof(path[i]), around, pod, ids[i]);
		cgroup(path[i]);
	}
	containerd_state();
	finds("nginx", path[0]);
	finds("sidecar", path[1]);
	finds("cccc2c3d4e5f", path[2]);
	finds(POD, pod);
	finds("web-0", pod);
}

static void kubernetes_cgroupfs(void **state)
{
	kubernetes("/kubepods/burstable/pod" POD, "%s/%s");
}

static void kubernetes_guaranteed(void **state)
{
	kubernetes("/kubepods/pod" POD, "%s/%s");
}

static void kubernetes_systemd(void **state)
{
	kubernetes("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice",
		   "%s/cri-containerd-%s.scope");
}

/* Two replicas have containers of one name. */
static void kubernetes_ambiguous(void **state)
{
	cgroup("/kubepods/pod" POD "/" A);
	cgroup("/kubepods/pod" POD "/" B);
	file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" A "/config.json",
	     "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"nginx\","
	     "\"io.kubernetes.cri.sandbox-name\":\"web-0\"}}");
	file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" B "/config.json",
	     "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"nginx\","
	     "\"io.kubernetes.cri.sandbox-name\":\"web-1\"}}");
	fails("nginx", EINVAL, "web-0");
	fails("nginx", EINVAL, "web-1");
}

static void crio(void **state)
{
#define SLICE "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_ ".slice"
	cgroup(SLICE "/crio-" E ".scope/container");
	cgroup(SLICE "/crio-conmon-" E ".scope");
	file("/var/lib/containers/storage/overlay-containers/containers.json",
	     "[{\"id\":\"" E "\",\"names\":[\"k8s_app_web-0_default_" POD "_0\"],"
	     "\"metadata\":\"{\\\"pod-name\\\":\\\"web-0\\\"}\"}]");
	finds("eeee2c", SLICE "/crio-" E ".scope");
	finds("app", SLICE "/crio-" E ".scope");
	finds("web-0", SLICE);
	finds(POD, SLICE);
	finds(POD_, SLICE);
}

static void containerd_alone(void **state)
{
	cgroup("/default/mine");
	file("/run/containerd/io.containerd.runtime.v2.task/default/mine/config.json",
	     "{\"linux\":{\"cgroupsPath\":\"/default/mine\"}}");
	finds("mine", "/default/mine");
	cgroup("/system.slice/nerdctl-" E ".scope");
	file("/run/containerd/io.containerd.runtime.v2.task/default/" E "/config.json",
	     "{\"annotations\":{\"nerdctl/name\":\"shop\"},"
	     "\"linux\":{\"cgroupsPath\":\"system.slice:nerdctl:" E "\"}}");
	finds("shop", "/system.slice/nerdctl-" E ".scope");
}

static void lxc(void **state)
{
	cgroup("/lxc.payload.box/init.scope");
	cgroup("/lxc.monitor.box");
	cgroup("/lxc/old");
	finds("box", "/lxc.payload.box");
	finds("old", "/lxc/old");
}

static void nspawn(void **state)
{
	cgroup("/machine.slice/systemd-nspawn@web.service/payload");
	cgroup("/machine.slice/machine-my\\x2dbox.scope");
	finds("web", "/machine.slice/systemd-nspawn@web.service");
	finds("my-box", "/machine.slice/machine-my\\x2dbox.scope");
}

static void runc_and_crun(void **state)
{
	char text[512];

	cgroup("/one");
	cgroup("/user.slice/two");
	snprintf(text, sizeof(text), "{\"id\":\"first\",\"init_process_pid\":1193,\"config\":{\"x\":[1,-2.5e3,"
		 "true,null,{}]},\"cgroup_paths\":{\"\":\"%s/one\",\"memory\":\"/elsewhere\"}}", tree);
	file("/run/runc/first/state.json", text);
	file("/run/crun/second/status", "{\"pid\": 5, \"cgroup-path\" : \"/user.slice/two\"}");
	finds("first", "/one");
	finds("second", "/user.slice/two");
}

static void broken_files(void **state)
{
	cgroup("/docker/" A);
	file("/var/lib/docker/containers/" A "/config.v2.json", "{\"Name\":\"/web\",");
	file("/var/lib/docker/containers/" B "/config.v2.json", "");
	file("/var/lib/docker/containers/" C "/config.v2.json", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
	file("/var/lib/containers/storage/overlay-containers/containers.json", "{\"id\":\"\\u12\"}");
	/* what was understood counts */
	finds("web", "/docker/" A);
	fails("nobody", ENOENT, "no such container");
}

static void same_name_in_two_runtimes(void **state)
{
	docker_state();
	cgroup("/docker/" A);
	cgroup("/machine.slice/libpod-" D ".scope");
	file("/var/lib/containers/storage/overlay-containers/containers.json",
	     "[{\"id\":\"" D "\",\"names\":[\"web\"]}]");
	fails("web", EINVAL, "docker");
	fails("web", EINVAL, "podman");
	finds("dddd", "/machine.slice/libpod-" D ".scope");
}

static void short_names(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{"/docker/" A, "0a1b2c3d4e5f"},
		{"/docker/" A "/sub/cgroup", "0a1b2c3d4e5f"},
		{"/system.slice/docker-" A ".scope", "0a1b2c3d4e5f"},
		{"/kubepods/burstable/pod" POD "/" B, "0a1bffff4e5f"},
		{"/docker/" A "/docker/" C, "cccc2c3d4e5f"},
		{"/lxc.payload.box/system.slice", "box"},
		{"/machine.slice/machine-my\\x2dbox.scope", "my-box"},
		{"/machine.slice/libpod-conmon-" D ".scope", NULL},
		{"/lxc.monitor.box", NULL},
		{"/system.slice/ssh.service", NULL},
		{"/kubepods/burstable/pod" POD, NULL},
		{"/", NULL},
		{"", NULL},
	};
	char name[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bool found = container_path__short(cases[i].path, name, sizeof(name));

		if (found != !!cases[i].name || (found && strcmp(name, cases[i].name)))
			fail_msg("%s gives %s", cases[i].path, found ? name : "nothing");
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(docker_cgroupfs), TEST(docker_systemd), TEST(podman_root), TEST(podman_cgroupfs),
		TEST(podman_rootless), TEST(kubernetes_cgroupfs), TEST(kubernetes_guaranteed),
		TEST(kubernetes_systemd), TEST(kubernetes_ambiguous), TEST(crio), TEST(containerd_alone),
		TEST(lxc), TEST(nspawn), TEST(runc_and_crun), TEST(broken_files),
		TEST(same_name_in_two_runtimes), cmocka_unit_test(short_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
